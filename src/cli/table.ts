import { printable } from "./printable.ts";

/** Columns that line up. Cells are cut so that a row stays on one line of a wide terminal. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map((text) => cut(printable(text))));
  const widths = header.map(() => 0);
  // Not Math.max over all rows: a call takes fewer arguments than a fleet may have jobs.
  for (const row of cells) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

const CELL_CHARACTERS_MAX = 60;

function cut(cell: string): string {
  return cell.length <= CELL_CHARACTERS_MAX ? cell : `${cell.slice(0, CELL_CHARACTERS_MAX - 1)}…`;
}
