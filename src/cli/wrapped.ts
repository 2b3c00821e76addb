import wrapAnsi from "wrap-ansi";
import { printable } from "./printable.ts";

/** Narrower than this nothing can be read anyway. */
const CELLS_MIN = 20;

/** Words in lines that fit into so many cells, each indented; where there is no width, in the lines that they have. */
export function wrapped(words: string, columns: number | undefined, indent: string): readonly string[] {
  const cells = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(CELLS_MIN, columns - indent.length);
  return words
    .split("\n")
    .flatMap((line) => (columns === undefined ? printable(line) : wrapAnsi(printable(line), cells, { hard: true }).split("\n")))
    .map((line) => indent + line);
}
