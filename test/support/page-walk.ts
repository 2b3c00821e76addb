/** A step of a walk in a page of the documentation: the lines to paste, and what they are said to print. */
export interface WalkStep {
  readonly commands: string;
  readonly output: string;
}

/** The blocks marked `<!-- walk -->`, each with the block marked `<!-- output -->` after it, where it prints anything. */
export function walkOf(page: string): WalkStep[] {
  const step = /<!-- walk -->\n```sh\n(.*?)```(?:\n\n<!-- output -->\n```text\n(.*?)```)?/gs;
  return [...page.matchAll(step)].map(([, commands = "", output = ""]) => ({ commands, output }));
}
