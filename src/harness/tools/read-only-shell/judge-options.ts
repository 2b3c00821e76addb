import { RefusedLine } from "./refused-line.ts";
import { literalOf, type ShellWord } from "./shell-word.ts";

/** What a program may be given. Whatever is not named here is refused, and so are shortened names of options. */
export interface ProgramRules {
  /** Options without a value: `-a --all`. */
  readonly flags?: string;
  /** Options with a value that is no path: `-n --lines`. */
  readonly values?: string;
  /** Options whose value is a path. */
  readonly paths?: string;
  /** Options with a value that can only be attached to them, or be left out: `-M --color`. */
  readonly attached?: string;
  /** Whether `-5` is an option. */
  readonly takesNumbers?: boolean;
  /** What the operands are, from the first. The last of them stands for all that follow; empty where none may be given. */
  readonly operands: readonly ("path" | "text")[];
  /** Options that stand for the first operand, like the `-e` of grep. */
  readonly firstOperandUnless?: string;
  /**
   * Where another operand would be written to. Options then come before the operands, and no `--`: some programs take all
   * that follows an operand for another, whatever it looks like.
   */
  readonly operandsMax?: number;
  /** What every operand must look like. */
  readonly operandForm?: RegExp;
}

/** What the options and operands of one call are. */
export interface JudgedArguments {
  readonly options: ReadonlySet<string>;
  readonly operands: readonly ShellWord[];
  /** Of the operands and values, those that are paths. */
  readonly paths: readonly ShellWord[];
}

type Takes = "nothing" | "value" | "path" | "attached";

/**
 * Judges what a program is given. A word that begins with a dash is always taken for an option, also where the program would
 * take it for a value: then nothing depends on whether both count alike. Throws RefusedLine.
 */
export function judgeOptions(program: string, rules: ProgramRules, words: readonly ShellWord[]): JudgedArguments {
  const takes = takenBy(rules);
  const options = new Set<string>();
  const operands: ShellWord[] = [];
  const paths: ShellWord[] = [];
  const refused = (option: string): RefusedLine =>
    new RefusedLine(`${program}: the option ${option} is not one that is known to read only`);

  const takeValue = (option: string, value: ShellWord | undefined): void => {
    const text = value === undefined ? undefined : literalOf(value);
    if (value === undefined || text === undefined) throw new RefusedLine(`${program}: ${option} needs a value, without patterns`);
    if (text.startsWith("-") && text !== "-") {
      throw new RefusedLine(`${program}: the value of ${option} begins with a dash; attach it to the option`);
    }
    if (takes.get(option) === "path") paths.push(value);
  };

  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? [];
    const text = literalOf(word);
    // A word with a pattern begins with no dash, and nothing that it finds does.
    if (text === undefined || text === "-" || !text.startsWith("-")) operands.push(word);
    else if (rules.operandsMax !== undefined && (text === "--" || operands.length > 0)) {
      throw new RefusedLine(`${program}: options come before the file, and without --`);
    } else if (text === "--") {
      operands.push(...words.slice(at + 1));
      options.add(text);
      break;
    } else if (rules.takesNumbers && /^-\d+$/.test(text)) continue;
    else if (text.startsWith("--")) {
      const [name = "", ...value] = text.split("=");
      const kind = takes.get(name);
      if (kind === undefined || (kind === "nothing" && value.length > 0)) throw refused(name);
      options.add(name);
      if (value.length > 0 && kind === "path") paths.push([{ kind: "text", text: value.join("=") }]);
      if (value.length === 0 && (kind === "value" || kind === "path")) takeValue(name, words[++at]);
    } else {
      const rest = letters(text, takes, refused, options);
      if (rest === undefined) continue;
      if (rest.value === "" && takes.get(rest.option) !== "attached") takeValue(rest.option, words[++at]);
      else if (takes.get(rest.option) === "path") paths.push([{ kind: "text", text: rest.value }]);
    }
  }
  const expected = operandsOf(rules, options);
  if (operands.length > (rules.operandsMax ?? (expected.length === 0 ? 0 : Number.POSITIVE_INFINITY))) {
    throw new RefusedLine(`${program}: so many operands are not known to be only read`);
  }
  for (const [index, operand] of operands.entries()) {
    const kind = expected[Math.min(index, expected.length - 1)];
    if (kind === "path") paths.push(operand);
    else if (literalOf(operand) === undefined)
      throw new RefusedLine(`${program}: put ${operand.map(({ text }) => text).join("")} in quotes`);
    if (rules.operandForm?.test(literalOf(operand) ?? "") === false) {
      throw new RefusedLine(`${program}: the operand ${literalOf(operand)} is not one that is known to read only`);
    }
    if (options.has("--") && literalOf(operand)?.startsWith("-")) {
      throw new RefusedLine(`${program}: an operand begins with a dash; write ./ before it`);
    }
  }
  return { options, operands, paths };
}

/** The options of a word like `-rn5`; gives the last one and what is attached to it, where it takes a value. */
function letters(
  word: string,
  takes: ReadonlyMap<string, Takes>,
  refused: (option: string) => RefusedLine,
  options: Set<string>,
): { readonly option: string; readonly value: string } | undefined {
  for (let at = 1; at < word.length; at++) {
    const option = `-${word[at]}`;
    const kind = takes.get(option);
    if (kind === undefined) throw refused(option);
    options.add(option);
    if (kind !== "nothing") return { option, value: word.slice(at + 1) };
  }
  return undefined;
}

function operandsOf({ operands, firstOperandUnless }: ProgramRules, options: ReadonlySet<string>): ProgramRules["operands"] {
  return named(firstOperandUnless).some((option) => options.has(option)) ? operands.slice(1) : operands;
}

function takenBy({ flags, values, paths, attached }: ProgramRules): ReadonlyMap<string, Takes> {
  const of = (list: string | undefined, takes: Takes) => named(list).map((option) => [option, takes] as const);
  return new Map([...of(flags, "nothing"), ...of(values, "value"), ...of(paths, "path"), ...of(attached, "attached")]);
}

function named(list = ""): readonly string[] {
  return list.split(/\s+/).filter((option) => option !== "");
}
