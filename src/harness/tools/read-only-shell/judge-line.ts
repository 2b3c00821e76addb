import { isAbsolute, join, relative, resolve } from "node:path";
import { type AndOr, type Command, type CommandNode, type PipelineNode, parse, type Redirection, type Statement } from "unbash";
import { judgeFind } from "./find-rules.ts";
import { judgeGit } from "./git-rules.ts";
import { requireInside } from "./inside-path.ts";
import { judgeOptions } from "./judge-options.ts";
import { PROGRAMS } from "./programs.ts";
import { RefusedLine } from "./refused-line.ts";
import { judgeSed } from "./sed-rules.ts";
import { literalOf, printWord, type ShellWord, textWord, understandWord } from "./shell-word.ts";
import { judgeTest } from "./test-rules.ts";

/** Far longer than any line that only looks; a parser may take long over what is nested deep. */
export const LINE_CHARACTERS_MAX = 8_192;

/** A line that only looks changes its directory once or twice; each change doubles what has to be considered. */
const DIRECTORIES_MAX = 16;

export type JudgedLine =
  | {
      readonly kind: "reads_only";
      /** What to run: printed anew from what was understood, so that no shell can read it otherwise. For any POSIX shell. */
      readonly script: string;
      readonly usesGit: boolean;
      /** Paths that it names, from the top of the workspace, by their text inside of it. */
      readonly paths: readonly string[];
    }
  | { readonly kind: "refused"; readonly why: string };

/**
 * Whether a line of shell only reads (contract §12). What is not understood is refused, and so is every program, option and
 * kind of expansion that is not on a list. Pure: where links lead, and what git's configuration says, is for who runs it.
 */
export function judgeLine(line: string, workspace: string): JudgedLine {
  if (line.length > LINE_CHARACTERS_MAX) {
    return { kind: "refused", why: `the line is longer than ${LINE_CHARACTERS_MAX} characters` };
  }
  try {
    const { commands, errors = [], shebang } = parse(line);
    const [error] = errors;
    if (error !== undefined) throw new RefusedLine(`it is no shell that can be understood: ${error.message}`);
    if (shebang !== undefined || commands.length === 0) throw new RefusedLine("there is no command in it");
    const understanding = new Understanding(workspace);
    const script = understanding.statements(commands);
    return { kind: "reads_only", script, usesGit: understanding.usesGit, paths: understanding.paths };
  } catch (error) {
    if (!(error instanceof RefusedLine)) throw error;
    return { kind: "refused", why: error.message };
  }
}

/** Goes through the tree of a line; each method gives its part of the script. */
class Understanding {
  usesGit = false;
  readonly paths: string[] = [];
  readonly #workspace: string;
  /** Where a command may find itself, from the top of the workspace: a `cd` may fail, or be in a part that is left again. */
  #directories: readonly string[] = [""];

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  statements(statements: readonly Statement[]): string {
    return statements
      .map(({ command, background }) => {
        if (background) throw new RefusedLine("nothing may run in the background (&)");
        return command.type === "AndOr" ? this.#andOr(command) : this.#pipeline(command);
      })
      .join("\n");
  }

  #andOr({ commands, operators }: AndOr): string {
    return commands.map((part, at) => `${at === 0 ? "" : `${operators[at - 1]} `}${this.#pipeline(part)}`).join(" ");
  }

  #pipeline(node: PipelineNode): string {
    if (node.type !== "Pipeline") return this.#command(node);
    if (node.operators.some((operator) => operator !== "|")) throw new RefusedLine("|& is not taken; write 2>&1 |");
    if (node.prefixes.some(({ type }) => type !== "Negation") || node.prefixes.length > 1) throw notTaken("Time");
    return `${node.prefixes.length === 1 ? "! " : ""}${node.commands.map((command) => this.#command(command)).join(" | ")}`;
  }

  #command(node: CommandNode): string {
    switch (node.type) {
      case "Command":
        return this.#simple(node);
      case "Subshell":
        // Two brackets in a row would be arithmetic.
        return `( ${this.statements(node.body.commands)} )`;
      case "Redirected":
      case "Function":
      case "Coproc":
      case "If":
      case "For":
      case "ArithmeticFor":
      case "Select":
      case "While":
      case "BraceGroup":
      case "Case":
      case "TestCommand":
      case "ArithmeticCommand":
        throw notTaken(node.type);
    }
  }

  #simple({ name, prefix, suffix }: Command): string {
    const words: ShellWord[] = [];
    const redirects: string[] = [];
    for (const part of [...prefix, ...suffix]) {
      if (part.type === "Assignment") throw new RefusedLine(`${part.name}=… sets a variable; give plain values`);
      if (part.type === "Word") words.push(understandWord(part));
      else redirects.push(this.#redirection(part));
    }
    const program = name === undefined ? undefined : literalOf(understandWord(name));
    if (program === undefined) throw new RefusedLine("there is no command in a part of it, or it is not named in plain words");
    return [program, ...this.#judged(program, words).map(printWord), ...redirects].join(" ");
  }

  /** The words for a program. */
  #judged(program: string, words: readonly ShellWord[]): readonly ShellWord[] {
    switch (program) {
      case "cd":
        return this.#cd(words);
      case "echo":
        this.#reads(words.filter((word) => literalOf(word) === undefined));
        return words;
      case "printf":
        if (/^(?:-|$)/.test(literalOf(words[0] ?? []) ?? ""))
          throw new RefusedLine("printf: the format must be text that begins with no dash");
        this.#reads(words.filter((word) => literalOf(word) === undefined));
        return words;
      case "command":
        if (words.length !== 2 || literalOf(words[0] ?? []) !== "-v")
          throw new RefusedLine("command is taken as `command -v NAME` only");
        if (!/^[\w.+-]+$/.test(literalOf(words[1] ?? []) ?? "")) throw new RefusedLine("command -v: name a program");
        return words;
      case "test":
      case "[":
        this.#reads(judgeTest(program, words));
        return words;
      case "find":
        this.#reads(judgeFind(words));
        return words;
      case "sed":
        this.#reads(judgeSed(words).paths);
        return words;
      case "git": {
        this.usesGit = true;
        const judged = judgeGit(words);
        this.#reads(judged.paths);
        return judged.words;
      }
    }
    const rules = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
    if (rules === undefined) throw new RefusedLine(`${program} is not one of the programs that are known to read only`);
    this.#reads(judgeOptions(program, rules, words).paths);
    return words;
  }

  #cd(words: readonly ShellWord[]): readonly ShellWord[] {
    const directory = literalOf(words[0] ?? []);
    if (words.length !== 1 || directory === undefined || /^(?:-|$)/.test(directory))
      throw new RefusedLine("cd: name one directory");
    this.#reads(words);
    const inside = relative(this.#workspace, resolve(this.#workspace, directory));
    const entered = isAbsolute(directory) ? [inside] : this.#directories.map((above) => join(above, directory));
    this.#directories = [...new Set([...this.#directories, ...entered])];
    if (this.#directories.length > DIRECTORIES_MAX) throw new RefusedLine("cd: so many changes of directory are not followed");
    // Told so, no shell looks elsewhere for it.
    return isAbsolute(directory) ? words : [textWord(`./${directory}`)];
  }

  #redirection(node: Redirection): string {
    if (node.type !== "Redirect")
      throw new RefusedLine("here-documents and here-strings are not taken; pipe the text from printf");
    const { operator, descriptor, target } = node;
    const to = target === undefined ? undefined : literalOf(understandWord(target));
    if (descriptor?.type === "FileDescriptorVariable" || to === undefined)
      throw new RefusedLine("a redirection that is not understood");
    const from = descriptor?.value;
    if (operator === "<" && (from === undefined || from === 0) && to !== "") {
      this.#reads([textWord(to)]);
      return `<${printWord(textWord(to))}`;
    }
    const isOutput = from === undefined || from === 1 || from === 2;
    if (operator === "&>" && from === undefined && to === "/dev/null") return ">/dev/null 2>&1";
    if ([">", ">>", ">|"].includes(operator) && isOutput && to === "/dev/null") return `${from ?? ""}>/dev/null`;
    if (operator === ">&" && isOutput && (to === "1" || to === "2")) return `${from ?? ""}>&${to}`;
    throw new RefusedLine(
      `${from ?? ""}${operator}${to}: output may be thrown away (>/dev/null, 2>&1) and is not written to files`,
    );
  }

  /** Takes down what a command names; of a pattern the directory in which it is looked for. */
  #reads(words: readonly ShellWord[]): void {
    for (const word of words) {
      requireInside(word.map(({ text }) => text).join(""), this.#workspace);
      const firstPattern = word.findIndex(({ kind }) => kind === "pattern");
      const known = (firstPattern === -1 ? word : word.slice(0, firstPattern)).map(({ text }) => text).join("");
      const place = firstPattern === -1 ? known : known.slice(0, known.lastIndexOf("/") + 1);
      this.paths.push(...(isAbsolute(place) ? [place] : this.#directories.map((directory) => join(directory, place))));
    }
  }
}

function notTaken(what: string): RefusedLine {
  return new RefusedLine(`${what}: only programs, pipes, &&, ||, ; and ( ) are taken`);
}
