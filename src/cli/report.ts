import type { Answer } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import type { Environment } from "./environment.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-code.ts";
import { printable, printableJson, printableLines } from "./printable.ts";

/** What a verb has to say: the record for programs, the same for people, and how it went. */
export interface Report {
  /** Undefined where the verb has put out its lines already. */
  readonly record: unknown;
  /** For a terminal. Made only where one is there to read it. */
  readonly text: () => string;
  readonly exit: ExitCode;
  /** What to say where nobody read the answer and that matters: then it is exit 4. */
  readonly unread?: string;
}

export interface ReportStyle {
  readonly json: boolean;
  readonly debug: boolean;
}

/** Puts a report on stdout: JSON where a program reads it, text where a person does (contract §9). */
export function putReport(report: Report, environment: Environment, style: ReportStyle): ExitCode {
  if (report.record === undefined) return report.exit;
  const isRead = environment.out(
    wantsJson(environment, style) ? `${printableJson(report.record)}\n` : printableLines(report.text()),
  );
  if (isRead || report.unread === undefined) return report.exit;
  tell(report.unread, environment);
  return EXIT.environment;
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
export function putError(error: unknown, environment: Environment, style: ReportStyle): ExitCode {
  const known = error instanceof JobError ? error : undefined;
  const message = known?.message ?? `this is a bug in harness-wake: ${error instanceof Error ? error.message : String(error)}`;
  tell(message, environment);
  if (style.debug && error instanceof Error) environment.err(printableLines(framesOf(error)));
  else if (known === undefined) environment.err("Run it again with --debug for the stack trace, and report it.\n");
  if (wantsJson(environment, style)) {
    const { code = "BUG", file, field } = known ?? {};
    const record = { ok: false, code, message, file, field, process_model_invocations: 0, invoke_model: false };
    try {
      environment.out(`${printableJson(record)}\n`);
    } catch {
      // Where stdout is what failed, stderr has told it.
    }
  }
  return known === undefined ? EXIT.environment : exitCodeOf(known.code);
}

/** Says one thing to people, in one line whatever the words hold. */
export function tell(words: string, environment: Environment): void {
  environment.err(`harness-wake: ${printable(words)}\n`);
}

/** Where it was thrown, without the message, which stands above. */
function framesOf({ name, stack = "" }: Error): string {
  return [name, ...stack.split("\n").filter((line) => /^\s+at /.test(line)), ""].join("\n");
}

function wantsJson(environment: Environment, style: ReportStyle): boolean {
  return style.json || !environment.stdoutIsTerminal;
}

/** Columns that line up. Cells are cut so that a row stays on one line of a wide terminal. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map((text) => cut(printable(text))));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

const CELL_CHARACTERS_MAX = 60;

function cut(text: string): string {
  const cell = text.replace(/[\n\t]/g, " ");
  return cell.length <= CELL_CHARACTERS_MAX ? cell : `${cell.slice(0, CELL_CHARACTERS_MAX - 1)}…`;
}
