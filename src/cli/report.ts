import type { Answer } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import type { Environment } from "./environment.ts";
import { EXIT, type ExitCode, exitCodeOfError } from "./exit-code.ts";
import type { Format, OutputStyle } from "./output-style.ts";
import { printable, printableLines } from "./printable.ts";
import { type AnswerRecord, fieldTable, jsonText, tsvText } from "./record-text.ts";
import type { Line, Screen } from "./styled-text.ts";

/** What a verb has to say: the record for programs, the same for people, and how it went. */
export interface Report extends AnswerRecord {
  /** For a terminal. Made only where one is there to read it. */
  readonly text: (screen: Screen) => string | readonly Line[] | Promise<readonly Line[]>;
  readonly exit: ExitCode;
  /** What to say where nobody read the answer and that matters: then it is exit 4. */
  readonly unread?: string;
}

/** Puts a report on stdout: JSON where a program reads it, text where a person does, or as `--format` says (contract §9). */
export async function putReport(report: Report, environment: Environment, style: OutputStyle): Promise<ExitCode> {
  if (report.record === undefined) return report.exit;
  if ((await putOut(report, environment, style)) || report.unread === undefined) return report.exit;
  tell(report.unread, environment);
  return EXIT.environment;
}

/** Puts a report on stdout; false where nobody reads it any more. */
export async function putOut(report: Report, environment: Environment, style: OutputStyle): Promise<boolean> {
  return environment.out(await outputOf(report, environment, style));
}

async function outputOf(report: Report, environment: Environment, style: OutputStyle): Promise<string> {
  const { fields } = style;
  switch (formatOf(environment, style)) {
    case "json":
      return jsonText(report, fields);
    case "tsv":
      return tsvText(report, fields);
    case "table":
      return fields === undefined ? textFor(screenOf(environment), report) : fieldTable(report, fields);
  }
}

async function textFor(screen: Screen, { text }: Report): Promise<string> {
  const given = await text(screen);
  if (typeof given === "string") return printableLines(given);
  const { paint } = await import("./paint.ts");
  return paint(given, screen);
}

/** Colours are for a terminal that shows them, and for who does not say otherwise (https://no-color.org). */
function screenOf({ stdoutIsTerminal, columns, env }: Environment): Screen {
  const colour = stdoutIsTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return { columns: columns(), colour };
}

export function formatOf({ stdoutIsTerminal }: Environment, { format }: OutputStyle): Format {
  return format ?? (stdoutIsTerminal ? "table" : "json");
}

/** The report of an answer: `done` says it for people when it is ok. A refusal goes to stderr as well. */
export function reportAnswer(answer: Answer, done: string, environment: Environment): Report {
  if (answer.ok) {
    // With more to say it is not quite what was asked for: a replay, a hold, a result that was not taken.
    const words = answer.message === undefined ? done : `${answer.state}: ${answer.message}`;
    return { record: answer, text: () => `${words}\n`, exit: EXIT.done };
  }
  tell(`${answer.state}: ${answer.message ?? "refused"}`, environment);
  return { record: { ...answer, code: answer.state }, text: () => "", exit: EXIT.refused };
}

/** Tells a failure: what, where and what to do on stderr, the same as a record where a program reads stdout. */
export function putError(error: unknown, environment: Environment, style: OutputStyle): ExitCode {
  const known = error instanceof JobError ? error : undefined;
  const message = known?.message ?? `this is a bug in harness-wake: ${error instanceof Error ? error.message : String(error)}`;
  tell(message, environment);
  if (style.debug && error instanceof Error) environment.err(printableLines(framesOf(error)));
  else if (known === undefined) environment.err("Run it again with --debug for the stack trace, and report it.\n");
  if (formatOf(environment, style) !== "table") {
    const { code = "BUG", file, field } = known ?? {};
    const record = { ok: false, code, message, file, field, process_model_invocations: 0, invoke_model: false };
    try {
      environment.out(jsonText({ record }, undefined));
    } catch {
      // Where stdout is what failed, stderr has told it.
    }
  }
  return exitCodeOfError(error);
}

/** Says one thing to people, in one line whatever the words hold. */
export function tell(words: string, environment: Environment): void {
  environment.err(`harness-wake: ${printable(words)}\n`);
}

/** Where it was thrown, without the message, which stands above. */
function framesOf({ name, stack = "" }: Error): string {
  return [name, ...stack.split("\n").filter((line) => /^\s+at /.test(line)), ""].join("\n");
}
