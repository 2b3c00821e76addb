import { styleText } from "node:util";
import { printable } from "./printable.ts";
import type { Line, Screen, Style } from "./styled-text.ts";

const LOOKS = {
  alarm: ["bold", "red"],
  caution: ["yellow"],
  good: ["green"],
  quiet: ["dim"],
  heading: ["bold"],
} as const satisfies Record<Style, readonly Parameters<typeof styleText>[0][]>;

/** Lines as they are written to a terminal: harmless words first, then our own colours around them. */
export function paint(lines: readonly Line[], { colour }: Screen): string {
  return lines.map((line) => `${colour ? coloured(line) : plain(line)}\n`).join("");
}

function plain(line: Line): string {
  return printable(line.map(({ text }) => text).join("")).trimEnd();
}

function coloured(line: Line): string {
  return line
    .map(({ text, style }) => {
      const words = printable(text);
      return style === undefined ? words : styleText([...LOOKS[style]], words, { validateStream: false });
    })
    .join("")
    .trimEnd();
}
