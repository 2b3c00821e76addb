import type { OpenedFleet } from "../compose.ts";
import type { Delivery, Row, TickSummary } from "../wake/summary.ts";
import { placeLine } from "./place-line.ts";
import { printable } from "./printable.ts";
import { table } from "./table.ts";

/** A pass for people: a line a job, then counts, what became of the mail, and which store this was. */
export function tickText(summary: TickSummary, fleet: OpenedFleet): string {
  const rows = summary.jobs.map((row) => [
    row.job_id ?? row.error?.file ?? "?",
    row.action,
    row.reason,
    row.status ?? "-",
    row.attempt_id ?? "-",
    row.next_wake_at ?? "-",
  ]);
  return [
    table(["JOB", "ACTION", "REASON", "STATUS", "ATTEMPT", "NEXT WAKE"], rows),
    `${summary.wake_count} wake, ${summary.backoff_count} back off, ${summary.hold_count} held, ${summary.stop_count} stop, ${summary.error_count} broken; no model was run\n`,
    mailText(summary, fleet.promisesMail && summary.written),
    `${placeLine(fleet)}${summary.written ? "" : `; nothing was written${fleet.store.kind === "git" ? ", --deliver or --land does" : ""}`}\n`,
  ].join("");
}

/** A fleet of a thousand jobs whose mail fails has one cause, not a thousand. */
const LINES_MAX = 10;

/** How much mail went out, failed and is still owed, and why. Nothing where there was none. */
function mailText({ jobs, deliveries, delivered_count }: TickSummary, promises: boolean): string {
  const failed = deliveries.filter(({ ok }) => !ok);
  const waiting = jobs.flatMap((row) => owedBecause(row, deliveries, promises));
  if (delivered_count + failed.length + waiting.length === 0) return "";
  const lines = [
    ...failed.map((delivery) => `failed, tried again later: ${delivery.attempt_id}: ${delivery.error ?? delivery.state}`),
    ...waiting,
  ];
  const more = lines.length > LINES_MAX ? [`and ${lines.length - LINES_MAX} more`] : [];
  const told = [...lines.slice(0, LINES_MAX), ...more].map((line) => `  ${printable(line)}\n`);
  return `mail: ${delivered_count} sent, ${failed.length} failed, ${failed.length + waiting.length} owed\n${told.join("")}`;
}

function owedBecause(row: Row, deliveries: readonly Delivery[], promises: boolean): readonly string[] {
  if (row.reason === "MAIL_OWED") return [`owed: ${row.job_id}: an earlier pass tried a moment ago; a later one sends it`];
  if (row.action !== "WAKE" || !promises || deliveries.some(({ job_id }) => job_id === row.job_id)) return [];
  return [`owed: ${row.attempt_id ?? row.job_id}: this pass does not deliver; --tick --deliver sends it`];
}
