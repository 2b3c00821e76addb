import type { Row, TickSummary } from "../wake/summary.ts";
import { printable } from "./printable.ts";

/** GitHub takes a step's summary up to 1 MiB or not at all; past this many rows nobody reads on anyway. */
const ROWS_MAX = 200;

/** A pass as Markdown, for the summary page of a workflow run: what moved or broke first, the quiet jobs as a count. */
export function markdownSummary(summary: TickSummary): string {
  const told = summary.jobs.filter(({ action }) => action !== "STOP");
  const rows = told
    .slice(0, ROWS_MAX)
    .map((row) => `| ${[row.job_id ?? row.error?.file ?? "?", row.action, row.reason, noteOf(row)].map(cell).join(" | ")} |\n`);
  const unmailed = summary.deliveries.filter(({ ok }) => !ok);
  const failed = unmailed
    .slice(0, ROWS_MAX)
    .map((delivery) => `- ${cell(`${delivery.attempt_id}: ${delivery.error ?? delivery.state}`)}\n`);
  return [
    `### Tick at ${summary.now}\n\n`,
    `${summary.wake_count} wake, ${summary.delivered_count} mailed, ${summary.backoff_count} back off, ${summary.hold_count} held, ${summary.stop_count} stop, ${summary.error_count} broken. No model was run.\n\n`,
    rows.length === 0 ? "" : `| job | action | reason | |\n| --- | --- | --- | --- |\n${rows.join("")}${moreThanTold(told)}`,
    failed.length === 0 ? "" : `\nMail that failed and is still owed:\n\n${failed.join("")}${moreThanTold(unmailed)}`,
  ].join("");
}

function moreThanTold({ length }: readonly unknown[]): string {
  return length > ROWS_MAX ? `\n… and ${length - ROWS_MAX} more.\n` : "";
}

function noteOf(row: Row): string {
  return row.error?.message ?? row.attempt_id ?? "";
}

/**
 * Words as a code span, the one place where Markdown makes no link, mention, HTML or table of what a job file says. What could
 * end the span or the cell is spelled out: an escape of theirs before ours would undo it.
 */
function cell(text: string): string {
  const words = printable(text.replace(/[\r\n]+/g, " ")).trim();
  return words === "" ? "" : `\`${words.replaceAll("`", "\\u0060").replaceAll("|", "\\u007c")}\``;
}
