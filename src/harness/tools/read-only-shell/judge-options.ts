import { RefusedLine } from "./refused-line.ts";
import { literalOf, type ShellWord, textWord } from "./shell-word.ts";

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

/**
 * Judges what a program is given. A word that begins with a dash is always taken for an option, also where the program would
 * take it for a value: then nothing depends on whether both count alike. Throws RefusedLine.
 */
export function judgeOptions(program: string, rules: ProgramRules, words: readonly ShellWord[]): JudgedArguments {
  return new Arguments(program, rules, words).judged();
}

type Takes = "nothing" | "value" | "path" | "attached";

class Arguments {
  readonly #program: string;
  readonly #rules: ProgramRules;
  readonly #takes: ReadonlyMap<string, Takes>;
  readonly #ahead: ShellWord[];
  readonly #options = new Set<string>();
  readonly #operands: ShellWord[] = [];
  readonly #paths: ShellWord[] = [];

  constructor(program: string, rules: ProgramRules, words: readonly ShellWord[]) {
    this.#program = program;
    this.#rules = rules;
    this.#takes = takenBy(rules);
    this.#ahead = [...words];
  }

  judged(): JudgedArguments {
    for (let word = this.#ahead.shift(); word !== undefined; word = this.#ahead.shift()) {
      const text = literalOf(word);
      // A word with a pattern begins with no dash, and nothing that it finds does.
      if (text === undefined || text === "-" || !text.startsWith("-")) this.#operands.push(word);
      else this.#dashed(text);
    }
    this.#judgeOperands();
    return { options: this.#options, operands: this.#operands, paths: this.#paths };
  }

  #dashed(text: string): void {
    const { operandsMax, takesNumbers } = this.#rules;
    if (operandsMax !== undefined && (text === "--" || this.#operands.length > 0)) {
      throw this.#refused("options come before the file, and without --");
    }
    if (text === "--") {
      this.#operands.push(...this.#ahead.splice(0));
      if (this.#operands.some((operand) => literalOf(operand)?.startsWith("-"))) {
        throw this.#refused("an operand begins with a dash; write ./ before it");
      }
    } else if (text.startsWith("--")) this.#long(text);
    else if (!(takesNumbers && /^-\d+$/.test(text))) this.#letters(text);
  }

  #long(text: string): void {
    const [option = "", ...pieces] = text.split("=");
    const takes = this.#taken(option);
    if (pieces.length === 0) this.#takeNext(option, takes);
    else if (takes === "nothing") throw this.#unknown(option);
    else this.#takeAttached(takes, pieces.join("="));
  }

  /** The options of a word like `-rn5`: the first that takes a value takes the rest of it. */
  #letters(text: string): void {
    for (let at = 1; at < text.length; at++) {
      const option = `-${text[at]}`;
      const takes = this.#taken(option);
      if (takes === "nothing") continue;
      if (at + 1 === text.length) this.#takeNext(option, takes);
      else this.#takeAttached(takes, text.slice(at + 1));
      return;
    }
  }

  #taken(option: string): Takes {
    const takes = this.#takes.get(option);
    if (takes === undefined) throw this.#unknown(option);
    this.#options.add(option);
    return takes;
  }

  #takeAttached(takes: Takes, value: string): void {
    if (takes === "path") this.#paths.push(textWord(value));
  }

  #takeNext(option: string, takes: Takes): void {
    if (takes === "nothing" || takes === "attached") return;
    const value = this.#ahead.shift();
    const text = value === undefined ? undefined : literalOf(value);
    if (value === undefined || text === undefined) throw this.#refused(`${option} needs a value, without patterns`);
    if (text.startsWith("-") && text !== "-") {
      throw this.#refused(`the value of ${option} begins with a dash; attach it to the option`);
    }
    if (takes === "path") this.#paths.push(value);
  }

  #judgeOperands(): void {
    const { operands, firstOperandUnless, operandsMax, operandForm } = this.#rules;
    const isFirstThere = !named(firstOperandUnless).some((option) => this.#options.has(option));
    const kinds = isFirstThere ? operands : operands.slice(1);
    if (this.#operands.length > (operandsMax ?? (kinds.length === 0 ? 0 : Number.POSITIVE_INFINITY))) {
      throw this.#refused("so many operands are not known to be only read");
    }
    for (const [index, operand] of this.#operands.entries()) {
      const text = literalOf(operand);
      if (kinds[Math.min(index, kinds.length - 1)] === "path") this.#paths.push(operand);
      else if (text === undefined) throw this.#refused(`put ${operand.map((piece) => piece.text).join("")} in quotes`);
      if (operandForm?.test(text ?? "") === false)
        throw this.#refused(`the operand ${text} is not one that is known to read only`);
    }
  }

  #unknown(option: string): RefusedLine {
    return this.#refused(`the option ${option} is not one that is known to read only`);
  }

  #refused(why: string): RefusedLine {
    return new RefusedLine(`${this.#program}: ${why}`);
  }
}

function takenBy({ flags, values, paths, attached }: ProgramRules): ReadonlyMap<string, Takes> {
  const of = (list: string | undefined, takes: Takes) => named(list).map((option) => [option, takes] as const);
  return new Map([...of(flags, "nothing"), ...of(values, "value"), ...of(paths, "path"), ...of(attached, "attached")]);
}

function named(list = ""): readonly string[] {
  return list.split(/\s+/).filter((option) => option !== "");
}
