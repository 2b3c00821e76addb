import { join } from "node:path";
import { build } from "esbuild";
import { tempDirectory } from "./temp-directory.ts";

/** {@link file://./terminal-cli.ts} as one file: a walk starts it a dozen times, and from its sources it starts slowly. */
export async function bundleTerminalCli(): Promise<string> {
  const outfile = join(tempDirectory(), "terminal-cli.cjs");
  await build({
    entryPoints: [join(import.meta.dirname, "terminal-cli.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    define: { HARNESS_WAKE_VERSION: '"0.0.0-test"' },
    logLevel: "error",
  });
  return outfile;
}
