// Writes docs/cli.md from the command line's own surface, so that the page cannot drift: npm run cli-reference.
import { writeFileSync } from "node:fs";
import { Command, type Option } from "commander";
import { exampleOf } from "../src/cli/example.ts";
import { addTick } from "../src/cli/program.ts";
import { addVerbs } from "../src/cli/verbs.ts";

export const CLI_PAGE = "docs/cli.md";

/** The command line with all its verbs, to be read and not run. */
export function commandSurface(): Command {
  const program = new Command();
  const cli = {
    program,
    environment: NO_ENVIRONMENT,
    report: () => undefined,
    show: async () => false,
    showError: () => undefined,
    isForPeople: false,
  };
  addTick(cli);
  addVerbs(cli);
  return program;
}

/** The page's text. */
export function cliReference(): string {
  const program = commandSurface();
  const [tick, ...verbs] = [program, ...program.commands];
  // A verb without options looks at no fleet.
  const shared = sharedOptions(verbs.filter(({ options }) => options.length > 0));
  return [
    "# Command line",
    "",
    "This page is made from the program itself by `npm run cli-reference`.",
    "",
    "Output is a table on a terminal and JSON everywhere else. A duration is like `45s`, `30m`, `1h30m`, `2d`, `1w`; a time is",
    "RFC 3339, a date, or a date-time that counts as UTC.",
    "",
    "| exit code | means                                                     |",
    "| --------- | --------------------------------------------------------- |",
    "| 0         | done, also when nothing woke                              |",
    "| 1         | done in part: a broken job, a mail that failed            |",
    "| 2         | wrong use or configuration; nothing was written           |",
    "| 3         | refused by the contract, with the reason                  |",
    "| 4         | the environment failed (git, lock, disk); nothing is lost |",
    "",
    "## Options of every verb",
    "",
    ...shared.map(optionLine),
    "",
    "## harness-wake --tick",
    "",
    "One pass over the jobs. It is the default when no verb is named.",
    ...exampleLines(tick),
    "",
    ...(tick?.options ?? []).filter((option) => !isShared(option, shared) && option.long !== "--version").map(optionLine),
    ...verbs.flatMap((verb) => verbLines(verb, shared)),
    "",
  ].join("\n");
}

/** The tick, which goes by the program's own name, and every verb that help shows. */
function everyVerb(): readonly Command[] {
  const program = commandSurface();
  const shown = program.createHelp().visibleCommands(program);
  return [program, ...program.commands.filter((verb) => shown.includes(verb))];
}

/** The example of each verb, by its name. */
export function verbExamples(): ReadonlyMap<string, string | undefined> {
  return new Map(everyVerb().map((verb) => [verb.name(), exampleOf(verb)]));
}

/** What a verb's module is handed; nothing here is called while options are set up. */
const NO_ENVIRONMENT = {
  cwd: ".",
  env: {},
  stdoutIsTerminal: false,
  columns: () => undefined,
  pause: async () => undefined,
  monotonic: () => 0,
  stdinIsTerminal: () => true,
  stderrIsTerminal: () => false,
  stdin: () => Buffer.alloc(0),
  now: () => 0,
  out: () => true,
  err: () => undefined,
};

function verbLines(verb: Command, shared: readonly Option[]): readonly string[] {
  const own = verb.options.filter((option) => !isShared(option, shared));
  return [
    "",
    `## ${verb.name()}`,
    "",
    `${capital(verb.description())}.`,
    "",
    "```sh",
    `harness-wake ${[verb.name(), ...verb.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`))].join(" ")}`,
    "```",
    ...exampleLines(verb),
    ...(own.length === 0 ? [] : ["", ...own.map(optionLine)]),
  ];
}

function exampleLines(verb: Command | undefined): readonly string[] {
  const example = verb && exampleOf(verb);
  return example === undefined ? [] : ["", "For example:", "", "```sh", example, "```"];
}

function sharedOptions(verbs: readonly Command[]): readonly Option[] {
  const [first] = verbs;
  return (first?.options ?? []).filter(({ flags }) => verbs.every((verb) => verb.options.some((other) => other.flags === flags)));
}

function isShared(option: Option, shared: readonly Option[]): boolean {
  return shared.some(({ flags }) => flags === option.flags);
}

function optionLine(option: Option): string {
  const choices = option.argChoices === undefined ? "" : ` One of ${option.argChoices.join(", ")}.`;
  const isSaid = option.description.includes("default:");
  const isUsual =
    !isSaid && option.defaultValue !== undefined && option.defaultValue !== "" && !Array.isArray(option.defaultValue);
  const usual = isUsual ? ` Default: ${option.defaultValue}.` : "";
  const must = option.mandatory ? " Required." : "";
  return `- \`${option.flags}\`: ${option.description}.${choices}${usual}${must}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

if (import.meta.main) writeFileSync(CLI_PAGE, cliReference());
