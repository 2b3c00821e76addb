import { endProcess, onStrayErrors, readStandardInput, takeStandardOutput } from "../../facts/own-output.ts";
import { forgetVariables } from "../../facts/process-environment.ts";
import { probe } from "./probe.ts";
import { runTask } from "./run-task.ts";
import { buildRunnerInput } from "./runner-input.ts";
import type { RunnerLine } from "./runner-line.ts";

/**
 * The program that a run of the adapter is. It is told all on standard input and tells of the run on standard output, a line
 * each. The SDK stays busy for up to a minute after its end, so the process is ended.
 */
forgetVariables(/^CURSOR_/i);
const input = buildRunnerInput().parse(JSON.parse(readStandardInput()));
const output = takeStandardOutput(input.task === "run" ? input.key : undefined);
const complain = (text: string): void => output.complain(`${text}\n`);
onStrayErrors((error) => complain(String(error)));

const tell = (line: RunnerLine): Promise<void> => output.write(`${JSON.stringify(line)}\n`);
try {
  await tell(input.task === "probe" ? await probe(input) : await runTask(input, (line) => void tell(line), complain));
  endProcess(0);
} catch (error) {
  complain(String(error));
  endProcess(1);
}
