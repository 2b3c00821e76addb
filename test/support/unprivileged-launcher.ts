import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const NOBODY = "65534";
const LAUNCHER = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/** What runs a program as somebody without rights; undefined where that cannot be done, or cannot read this checkout. */
export function unprivilegedLauncher(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return [];
  const readsThis = [...LAUNCHER.slice(1), process.execPath, "--check", fileURLToPath(import.meta.url)];
  return spawnSync("setpriv", readsThis, { cwd: "/" }).status === 0 ? LAUNCHER : undefined;
}
