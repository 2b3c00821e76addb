import { later } from "../../facts/pause.ts";
import type { Enclosure } from "../enclosure/enclosure.ts";
import type { Mount } from "../enclosure/mount.ts";
import { runEnclosed } from "../enclosure/run-enclosed.ts";
import { CappedOutput } from "./capped-output.ts";
import { failure, type ToolResult, text } from "./tool.ts";

/** A program that writes more than that has run away. */
const WRITTEN_BYTES_MAX = 16 * 1024 * 1024;

/** How long a command may take to end that was asked to. */
const GRACE_MS = 1_000;

export interface ShellCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly timeoutMs: number;
}

/** Runs a command in an enclosure until nothing of it is left. Only a command that ended with 0 gives a text. */
export async function runCommand(
  enclosure: Pick<Enclosure, "cage">,
  { argv, cwd, env, mounts, timeoutMs }: ShellCommand,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (signal.aborted) return failure("The run is over.");
  const output = new CappedOutput();
  const take = (chunk: Buffer): void => {
    output.add(chunk);
    if (output.bytes > WRITTEN_BYTES_MAX) run.stop(`it wrote more than ${WRITTEN_BYTES_MAX} bytes`, 0);
  };
  const run = runEnclosed(enclosure, { argv, cwd, env, mounts, stdin: "", onStdout: take, onStderr: take });
  const callOff = later(timeoutMs, () => run.stop(`it took longer than ${timeoutMs / 1000} s`, GRACE_MS));
  const onAbort = (): void => run.stop("the run is over", GRACE_MS);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const end = await run.ended;
    const said = output.toString();
    switch (end.state) {
      case "not_started":
        return failure(`The command could not be started: ${end.message}`);
      case "stopped":
        return failure(`The command was stopped: ${end.why}.\n${said}`);
      case "ended":
        return end.exit_code === 0 ? text(said) : failure(`The command ended with ${end.exit_code ?? end.signal}.\n${said}`);
    }
  } finally {
    callOff();
    signal.removeEventListener("abort", onAbort);
  }
}
