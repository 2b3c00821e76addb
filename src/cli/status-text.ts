import type { OpenedFleet } from "../compose.ts";
import type { Seconds } from "../job/time.ts";
import { type FleetRow, nameOf } from "../report/fleet-view.ts";
import { fleetTable, sumsWords } from "./fleet-table.ts";
import { placeLine } from "./place-line.ts";
import { ageWords } from "./relative-time.ts";
import { type Line, line, type Screen } from "./styled-text.ts";
import { wrapped } from "./wrapped.ts";

/** A fleet of a thousand jobs whose mail fails has one cause, not a thousand. */
const NEEDS_MAX = 10;

/** How a fleet stands: what needs a person and what to do, then a line per job in that order, then sums. */
export function statusLines(rows: readonly FleetRow[], now: Seconds, fleet: OpenedFleet, screen: Screen): readonly Line[] {
  const needing = rows.filter(({ need }) => need !== null);
  const told = needing.slice(0, NEEDS_MAX).flatMap((row) => needLines(row, now, screen));
  const more = needing.length > NEEDS_MAX ? [line(`and ${needing.length - NEEDS_MAX} more, marked ! below`)] : [];
  return [
    ...(needing.length === 0 ? [] : [line(needHeading(needing.length), "alarm"), ...told, ...more, line("")]),
    ...(rows.length === 0 ? [] : [...fleetTable(rows, now, screen), line("")]),
    ...wrapped(sumsWords(rows), screen.columns, "").map((text) => line(text)),
    line(placeLine(fleet)),
  ];
}

function needHeading(count: number): string {
  return count === 1 ? "1 job needs a person:" : `${count} jobs need a person:`;
}

function needLines(row: FleetRow, now: Seconds, { columns }: Screen): readonly Line[] {
  const { need, state } = row;
  if (need === null) return [];
  const age = state === "broken" ? "" : ageWords(row.since, now);
  return [
    ...wrapped(`! ${nameOf(row)} (${age === "" ? state : `${state} ${age}`})`, columns, "").map((text) => line(text)),
    ...wrapped(need.why, columns, "    ").map((text) => line(text)),
    ...wrapped(`→ ${need.remedy}`, columns, "    ").map((text) => line(text)),
  ];
}
