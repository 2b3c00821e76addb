import type { Word, WordPart } from "unbash";
import { RefusedLine } from "./refused-line.ts";

/** A piece of a word: text as it is, or a pattern that the shell replaces by names of files. */
export type WordPiece = { readonly kind: "text" | "pattern"; readonly text: string };

/** A word of which everything is known but the files that its patterns match. */
export type ShellWord = readonly WordPiece[];

/** The text of a word without patterns; undefined for one with. */
export function literalOf(word: ShellWord): string | undefined {
  return word.every(({ kind }) => kind === "text") ? word.map(({ text }) => text).join("") : undefined;
}

export function textWord(text: string): ShellWord {
  return [{ kind: "text", text }];
}

/** What a word means. Throws RefusedLine for all that the shell would first have to work out. */
export function understandWord(word: Word): ShellWord {
  if (word.text.startsWith("~")) throw new RefusedLine("`~` is not expanded here; give a path inside the workspace");
  if (word.parts === undefined) return [unquoted(word)];
  const pieces = word.parts.flatMap(understandPart).filter(({ text }) => text !== "");
  return pieces.some(({ kind }) => kind === "pattern") ? requireNoOption(pieces) : pieces;
}

function understandPart(part: WordPart): ShellWord {
  switch (part.type) {
    case "Literal":
      return [unquoted(part)];
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ kind: "text", text: requireNoNul(part.value) }];
    case "DoubleQuoted":
      return part.parts.map((child) => {
        if (child.type !== "Literal") throw notWorkedOut(child.text);
        return { kind: "text", text: requireNoNul(child.value) };
      });
    case "Glob":
      // In a set, quotes and classes have rules of their own.
      if (part.kind === "bracket" && !/^\[[!^]?[A-Za-z0-9_-]+\]$/.test(part.text)) throw notWorkedOut(part.text);
      return [{ kind: "pattern", text: part.text }];
    case "LocaleString":
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
    case "BraceExpansion":
      throw notWorkedOut(part.text);
  }
}

/** Text outside of quotes. Characters that only look like a space, or like nothing, are refused there. */
function unquoted({ text, value }: { readonly text: string; readonly value: string }): WordPiece {
  if (/[^\x21-\x7e\\\n ]/.test(text)) {
    throw new RefusedLine(`${JSON.stringify(text)} holds characters other than printable ASCII; put it in quotes if it is meant`);
  }
  return { kind: "text", text: requireNoNul(value) };
}

function requireNoNul(text: string): string {
  if (text.includes("\0")) throw new RefusedLine("a word holds a NUL character");
  return text;
}

/** A file may be called like an option, and `.*` also finds the directory above. No piece of the word is empty. */
function requireNoOption(word: ShellWord): ShellWord {
  const [first] = word;
  const shown = word.map(({ text }) => text).join("");
  if (shown.startsWith("-"))
    throw new RefusedLine(`${shown} could find a file that is called like an option; write ./ before it`);
  if (/(?:^|\/)\.[*?[]/.test(shown)) throw new RefusedLine(`${shown} also finds the directory above; name the files`);
  return first?.kind === "pattern" ? [{ kind: "text", text: "./" }, ...word] : word;
}

function notWorkedOut(text: string): RefusedLine {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new RefusedLine(`${shown} is not expanded here: give plain words, in single quotes where they hold special characters`);
}

const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/;

/** The word as every POSIX shell reads it, whatever stood in the line. */
export function printWord(word: ShellWord): string {
  return word.length === 0 ? "''" : word.map((piece) => (piece.kind === "pattern" ? piece.text : quote(piece.text))).join("");
}

function quote(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
