import type { Command } from "commander";

const examples = new WeakMap<Command, string>();

/** Gives a verb an example: a line as it is typed, shown by `--help` and in docs/cli.md. */
export function withExample(command: Command, example: string): Command {
  examples.set(command, example);
  return command.addHelpText("after", `\nExample:\n  ${example}`);
}

/** The example of a verb; undefined where it has none. */
export function exampleOf(command: Command): string | undefined {
  return examples.get(command);
}
