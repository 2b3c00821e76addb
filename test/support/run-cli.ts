import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GIT_ENV } from "./git.ts";

export const CLI = join(import.meta.dirname, "../../dist/cli.cjs");

/** A command that hangs is ended, and its test fails, before the test's own time is over. */
const RUN_MS_MAX = 120_000;

export interface CliOptions {
  readonly cwd: string;
  /** Over a small environment that nothing of the machine's own gets into but the path. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** What to run in place of this process's node; it gets the command line from `dist/cli.cjs` on. */
  readonly launcher?: readonly [string, ...string[]];
  readonly uid?: number;
}

export interface CliRun<Answer> {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The one record on stdout. Throws where stdout holds anything else. */
  readonly json: Answer;
}

/** Runs the built command line as a process of its own, with this process's node. */
export async function runCli<Answer = Readonly<Record<string, unknown>>>(
  options: CliOptions,
  ...args: readonly string[]
): Promise<CliRun<Answer>> {
  // The run's own, which another user cannot write.
  const temporary = options.uid === undefined && { TMPDIR: tmpdir() };
  const [command, ...before] = options.launcher ?? [process.execPath];
  const child = spawn(command, [...before, CLI, ...args], {
    cwd: options.cwd,
    env: { ...GIT_ENV, HOME: options.cwd, HARNESS_WAKE_SIMULATE: "1", ...temporary, ...options.env },
    timeout: RUN_MS_MAX,
    killSignal: "SIGKILL",
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  });
  const read = async (stream: AsyncIterable<Buffer>): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  // A command that does not read its stdin may be gone before it is written.
  child.stdin.on("error", () => undefined).end(options.stdin ?? "");
  const [code, stdout, stderr] = await Promise.all([ended, read(child.stdout), read(child.stderr)]);
  return {
    code,
    stdout,
    stderr,
    get json(): Answer {
      if (!/^[^\n]+\n$/.test(stdout)) throw new Error(`stdout is not one line:\n${stdout}\nstderr:\n${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
