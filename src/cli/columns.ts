import cliTruncate from "cli-truncate";
import stringWidth from "string-width";
import { printable } from "./printable.ts";
import type { Line, Span } from "./styled-text.ts";

export interface Column {
  readonly header: string;
  readonly align?: "right";
  /** Down to how many cells it may be cut. */
  readonly least: number;
  /** Where columns do not fit, those with the greatest number are left out first; 0 never is. */
  readonly spare: number;
  /** What is cut out of a long cell: ids differ at both ends. */
  readonly cut?: "middle";
}

const GAP = 2;

/**
 * A table whose lines fit into so many cells of a terminal: columns are left out, then cells cut, until they do. Without a
 * width nothing is.
 */
export function columnLines(
  columns: readonly Column[],
  rows: readonly (readonly Span[])[],
  width: number | undefined,
): readonly Line[] {
  const cells = rows.map((row) => row.map((span) => ({ ...span, text: printable(span.text) })));
  const natural = columns.map(({ header }, i) =>
    // Not Math.max over all rows: a call takes fewer arguments than a fleet may have jobs.
    cells.reduce((most, row) => Math.max(most, stringWidth(row[i]?.text ?? "")), header.length),
  );
  const widths = fitted(columns, natural, width);
  const header = columns.map(({ header }): Span => ({ text: header, style: "heading" }));
  return [header, ...cells].map((row) => lineOf(columns, row, widths));
}

/** The width of each column; undefined for one that is left out. */
function fitted(
  columns: readonly Column[],
  natural: readonly number[],
  width: number | undefined,
): readonly (number | undefined)[] {
  if (width === undefined) return natural;
  const least = columns.map((column, i) => Math.min(column.least, natural[i] ?? 0));
  const widths: (number | undefined)[] = [...least];
  const used = (): number => {
    const kept = widths.filter((one) => one !== undefined);
    return kept.reduce((sum, one) => sum + one, GAP * (kept.length - 1));
  };
  const bySpare = [...columns.keys()].sort((a, b) => (columns[a]?.spare ?? 0) - (columns[b]?.spare ?? 0));
  for (const i of [...bySpare].reverse()) {
    if (used() <= width) break;
    if (columns[i]?.spare !== 0) widths[i] = undefined;
  }
  for (const i of bySpare) {
    const now = widths[i];
    if (now !== undefined) widths[i] = Math.min(natural[i] ?? 0, now + Math.max(0, width - used()));
  }
  return widths;
}

function lineOf(columns: readonly Column[], row: readonly Span[], widths: readonly (number | undefined)[]): Line {
  const spans: Span[] = [];
  for (const [i, column] of columns.entries()) {
    const width = widths[i];
    const cell = row[i];
    if (width === undefined || cell === undefined) continue;
    if (spans.length > 0) spans.push({ text: " ".repeat(GAP) });
    const text = stringWidth(cell.text) <= width ? cell.text : cliTruncate(cell.text, width, { position: column.cut ?? "end" });
    const padding = { text: " ".repeat(Math.max(0, width - stringWidth(text))) };
    spans.push(...(column.align === "right" ? [padding, { ...cell, text }] : [{ ...cell, text }, padding]));
  }
  return spans;
}
