import { spawnSync } from "node:child_process";
import { CLI, type CliOptions } from "./run-cli.ts";

const NOBODY = 65_534;

/**
 * How to run the command line as somebody whom file modes bind, since they do not bind root. Where this checkout lies in
 * root's own home nobody else can reach it: then root runs it without the capability that lifts modes.
 */
export function unprivileged(): Pick<CliOptions, "uid" | "launcher"> {
  if (process.getuid?.() !== 0) return {};
  const trial = spawnSync(process.execPath, [CLI, "--help"], { uid: NOBODY, gid: NOBODY, cwd: "/" });
  if (trial.status === 0) return { uid: NOBODY };
  return { launcher: ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--", process.execPath] };
}
