import { RefusedLine } from "./refused-line.ts";
import { literalOf, type ShellWord } from "./shell-word.ts";

const OF_PATHS = ["-b", "-c", "-d", "-e", "-f", "-g", "-h", "-L", "-p", "-r", "-s", "-S", "-u", "-w", "-x"];
const OF_TEXT = ["-n", "-z"];
const OF_TWO_TEXTS = ["=", "==", "!="];
const OF_NUMBERS = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/**
 * Judges the words of `test` or `[`, and gives its paths. One comparison, perhaps negated: some shells run what stands in
 * the brackets of a "number" or of a variable's name. Throws RefusedLine.
 */
export function judgeTest(name: "test" | "[", words: readonly ShellWord[]): readonly ShellWord[] {
  const texts = words.map((word) => literalOf(word) ?? refuse("patterns are not taken"));
  if (name === "[" && texts.pop() !== "]") refuse("the last word must be ]");
  if (texts[0] === "!") texts.shift();
  const [first = "", second = "", third = ""] = texts;
  const offset = words.findIndex((word) => literalOf(word) === first);
  if (texts.length === 2 && OF_PATHS.includes(first)) return words.slice(offset + 1, offset + 2);
  if (texts.length === 2 && OF_TEXT.includes(first)) return [];
  if (texts.length === 3 && OF_TWO_TEXTS.includes(second)) return [];
  if (texts.length === 3 && OF_NUMBERS.includes(second) && [first, third].every((text) => /^-?\d+$/.test(text))) return [];
  return refuse("one comparison is taken, like test -f FILE, or test A = B");
}

function refuse(why: string): never {
  throw new RefusedLine(`test: ${why}`);
}
