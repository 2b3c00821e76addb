import { type JudgedArguments, judgeOptions } from "./judge-options.ts";
import { RefusedLine } from "./refused-line.ts";
import { literalOf, type ShellWord } from "./shell-word.ts";

const LINE = String.raw`(?:\d+|\$)`;
const REGEX = String.raw`\/[^\/\\\n]+\/I?`;
const ADDRESS = `(?:${LINE}|${REGEX})`;
const RANGE = String.raw`(?:${ADDRESS}(?:,(?:${ADDRESS}|[+~]\d+))?!?)?`;

/** Prints, drops, numbers or ends: commands that take no file and no program. */
const PLAIN = new RegExp(String.raw`^${RANGE}\s*[pdq=]$`);

/** A replacement whose flags are none of those that write or run. Its delimiter stands in it three times and no more. */
const REPLACEMENT = new RegExp(
  String.raw`^${RANGE}\s*s([/|#,:@])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpIi0-9]*$`,
);

/** Judges the words after `sed`: only scripts of which it is plain that they write to no file and run nothing. Throws RefusedLine. */
export function judgeSed(words: readonly ShellWord[]): JudgedArguments {
  const judged = judgeOptions(
    "sed",
    { flags: "-n -E -r -s -z -u --quiet --silent --regexp-extended --separate --null-data --posix", operands: ["text", "path"] },
    words,
  );
  const [script] = judged.operands;
  if (script === undefined) throw new RefusedLine("sed: there is no script");
  judgeScript(literalOf(script) ?? "");
  return judged;
}

function judgeScript(script: string): void {
  const commands = script.split(/[;\n]/).map((command) => command.trim());
  // Whether a delimiter in brackets ends a pattern is something that seds disagree on: then one command could hide another.
  if (commands.length > 1 && script.includes("["))
    throw new RefusedLine("sed: brackets are taken in a script of one command only");
  for (const command of commands.filter((each) => each !== "")) {
    if (PLAIN.test(command) || REPLACEMENT.test(command)) continue;
    throw new RefusedLine(`sed: ${command} is not one of the commands that are known to read only (like 1,20p, /x/p, s/a/b/g)`);
  }
}
