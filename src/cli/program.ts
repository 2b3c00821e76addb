import { Command, CommanderError } from "commander";
import { JobError } from "../errors/job-error.ts";
import type { Environment } from "./environment.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { readStyle, type StyledArguments } from "./output-style.ts";
import { formatOf, putError, putOut, putReport, type Report } from "./report.ts";
import { addTickVerb } from "./tick.ts";
import type { Cli } from "./verb.ts";
import { VERSION } from "./version.ts";

const TICK_FLAGS: readonly string[] = ["--tick", "--deliver", "--land", "--dry-run", "--json"];
const TICK_OPTIONS: readonly string[] = [
  "--now",
  "--worker-id",
  "--jobs-dir",
  "--config",
  "--summary",
  "--step-output",
  "--every",
  "--format",
];

/** Runs one command line and gives the process's exit code. Never throws. */
export async function runProgram(given: readonly string[], environment: Environment): Promise<ExitCode> {
  if (!environment.stderrIsTerminal()) return run(given, environment);
  const { showingProgress } = await import("./progress.ts");
  const shown = showingProgress(environment);
  try {
    return await run(given, shown.environment);
  } finally {
    shown.end();
  }
}

async function run(given: readonly string[], environment: Environment): Promise<ExitCode> {
  let styled: StyledArguments;
  try {
    styled = await readStyle(given);
  } catch (error) {
    return putError(error, environment, { format: "json", fields: undefined, debug: given.includes("--debug") });
  }
  const { args, style } = styled;
  const program = new Command();
  let report: Report | undefined;
  const cli: Cli = {
    program,
    environment,
    report: (next) => {
      report = next;
    },
    show: (next) => putOut(next, environment, style),
    showError: (error) => void putError(error, environment, style),
    isForPeople: formatOf(environment, style) === "table",
  };
  program
    .exitOverride()
    .hook("preSubcommand", passOnOptions)
    .configureOutput({ writeOut: environment.out, writeErr: () => undefined });
  addTick(cli);
  // A tick runs every few minutes: it does not wait for the verbs to be loaded.
  if (!isTickAlone(args)) (await import("./verbs.ts")).addVerbs(cli);
  // A word that is no verb reaches the tick, which tells of it better than "too many arguments".
  program.allowExcessArguments();
  try {
    await program.parseAsync(args, { from: "user" });
    return report === undefined ? EXIT.done : await putReport(report, environment, style);
  } catch (error) {
    if (!(error instanceof CommanderError)) return putError(error, environment, style);
    if (error.exitCode === 0) return EXIT.done;
    return putError(
      new JobError("USAGE", `${error.message.replace(/^error: |\.$/g, "")}. See harness-wake --help`),
      environment,
      style,
    );
  }
}

/** Whether these are options of the tick, each of those that take a value with one, and nothing else. */
function isTickAlone(args: readonly string[]): boolean {
  return args.every((arg, i) => TICK_FLAGS.includes(arg) || [arg, args[i - 1] ?? ""].some((word) => TICK_OPTIONS.includes(word)));
}

/** The command line without verbs. With those of verbs.ts it is what help and docs/cli.md are made from. */
export function addTick(cli: Cli): void {
  cli.program
    .name("harness-wake")
    .description("Wakes sleeping coding agents from JSON job files in a git repository, without ever calling a model itself.")
    .version(VERSION)
    // Else an option after a verb that the tick has too, like --jobs-dir, would be taken for the tick's and not reach it.
    .enablePositionalOptions();
  addTickVerb(cli);
}

/** Options may stand before the verb too. What only the tick has is refused there: `--dry-run create` must not create. */
function passOnOptions(program: Command, verb: Command): void {
  for (const option of program.options) {
    const name = option.attributeName();
    const value: unknown = program.getOptionValue(name);
    if (value === undefined) continue;
    if (!verb.options.some((own) => own.attributeName() === name)) {
      throw new JobError("USAGE", `${option.long} is for the tick and does nothing for ${verb.name()}; leave it out`);
    }
    verb.setOptionValue(name, value);
  }
}
