import { Argument } from "commander";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import type { Cli } from "./verb.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

type Shell = (typeof SHELLS)[number];

/** `addOthers` adds what is completed to a program of its own. */
export function addCompletionVerb({ program, report }: Cli, addOthers: (to: Cli["program"]) => void): void {
  const end = (): void => report({ record: undefined, text: () => "", exit: EXIT.done });
  const verb = program
    .command("completion")
    .addArgument(new Argument("<shell>", "whose script is printed").choices(SHELLS))
    .description("print a script by which a shell completes verbs and options");
  withExample(verb, "harness-wake completion bash > harness-wake.bash").action(async (shell: Shell) => {
    const { shellCompletion } = await import("./shell-completion.ts");
    shellCompletion(addOthers).setup(program.name(), program.name(), shell);
    end();
  });
  // What that script calls at each press of the key; a person has no use for it.
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      const { shellCompletion } = await import("./shell-completion.ts");
      shellCompletion(addOthers).parse([...words]);
      end();
    });
}
