import { endProcess, onStrayErrors, readStandardInput, takeStandardOutput } from "../../facts/own-output.ts";
import { forgetVariables } from "../../facts/process-environment.ts";
import { probe } from "./probe.ts";
import { buildRunnerInput, type RunnerInput } from "./runner-input.ts";
import type { RunnerLine } from "./runner-line.ts";

/**
 * The program that a run of the adapter is. It is told all on standard input, tells of the run on standard output, a line
 * each, and ends. The SDK stays busy for up to a minute after its end, so the process is ended.
 */
const write = takeStandardOutput();
forgetVariables(/^CURSOR_/i);
const input = buildRunnerInput().parse(JSON.parse(readStandardInput()));
const tell = (line: RunnerLine): Promise<void> => write(`${JSON.stringify(line)}\n`);
onStrayErrors((error) => void write(`${String(error)}\n`));
await tell(await run(input));
endProcess(0);

async function run(input: RunnerInput): Promise<RunnerLine> {
  switch (input.task) {
    case "probe":
      return probe(input);
  }
}
