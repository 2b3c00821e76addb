import type { RootCommand } from "@bomb.sh/tab";
import completionsOf from "@bomb.sh/tab/commander";
import { Command } from "commander";

/** What completes the verbs that are added. It prints by itself: nothing else is on stdout then. */
export function shellCompletion(addVerbs: (to: Command) => void): RootCommand {
  const program = new Command();
  addVerbs(program);
  return completionsOf(program);
}
