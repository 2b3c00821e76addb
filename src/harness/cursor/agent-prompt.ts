import type { Authority } from "../tools/tool.ts";

const MAY = {
  read_only: "You may look at everything in it and change nothing: no file, no commit, no remote.",
  read_write: "You may change it, commit, and push.",
} as const satisfies Record<Authority, string>;

/** How an agent works here, whatever it is asked to do. */
export function agentPrompt(authority: Authority): string {
  return [
    "You work unattended: nobody answers questions and nobody reads what you say.",
    "You have the tools of the server `custom-user-tools`, and no others. They reach the workspace alone, which is your working directory.",
    MAY[authority],
    "When the work is over, or you cannot go on, call the tool `submit` once with what came of it, and end your turn. What is not submitted is lost.",
  ].join("\n");
}
