import type { Machine } from "./machine.ts";

/** One line of the bench's table: a figure, what it is held against, and how far apart the two may be (contract §10). */
export interface Line {
  readonly title: string;
  /** Both as people read them: `412 ms`. */
  readonly measured: string;
  readonly floor: string;
  readonly ratio: number;
  /** Left out where the contract gives none, and the figure only tells what something costs. */
  readonly limit?: number;
}

/** A file in `lines/` exports one as `measurement`; that is all it takes to add to the bench. */
export interface Measurement {
  /** What `--only` picks it by. */
  readonly name: string;
  measure(machine: Machine, options: BenchOptions): Line[] | Promise<Line[]>;
}

export interface BenchOptions {
  /** How many jobs a directory holds; the limits are meant for 10,000. */
  readonly jobs: number;
  /** How many times as often as it must each program runs. */
  readonly thoroughness: number;
  /** Whether the slow lines, ten times the jobs, are left out. */
  readonly quick: boolean;
}

export function holds(line: Line): boolean {
  return line.limit === undefined || line.ratio <= line.limit;
}

/** The lines as a table that lines up, each with whether its limit holds. */
export function tableOf(lines: readonly Line[]): string {
  const rows = lines.map((line) => [
    line.title,
    line.measured,
    line.floor,
    line.ratio.toFixed(2),
    line.limit === undefined ? "" : `≤ ${line.limit}`,
    line.limit === undefined ? "" : holds(line) ? "holds" : "MISSES",
  ]);
  const cells = [["", "measured", "floor", "ratio", "limit", ""], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const cell = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return cells.map((row) => `${row.map(cell).join("  ").trimEnd()}\n`).join("");
}
