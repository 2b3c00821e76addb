import type { Environment } from "../../src/cli/environment.ts";
import type { ExitCode } from "../../src/cli/exit-code.ts";
import { runProgram } from "../../src/cli/program.ts";
import { GIT_ENV } from "./git.ts";
import { NOON } from "./noon.ts";

export interface InProcessRun {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process, on a machine whose clock says noon. */
export async function runInProcess(
  environment: Pick<Environment, "cwd"> & Partial<Environment>,
  ...args: readonly string[]
): Promise<InProcessRun> {
  let out = "";
  let err = "";
  const code = await runProgram(args, {
    // What a test is about is mostly the words; one about colours says so.
    env: { ...GIT_ENV, NO_COLOR: "1" },
    now: () => NOON,
    stdoutIsTerminal: false,
    columns: () => undefined,
    pause: async () => undefined,
    monotonic: () => 0,
    stdinIsTerminal: () => true,
    stderrIsTerminal: () => false,
    stdin: () => Buffer.alloc(0),
    out: (text) => {
      out += text;
      return true;
    },
    err: (text) => {
      err += text;
    },
    ...environment,
  });
  return { code, out, err };
}
