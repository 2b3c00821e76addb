import { readFileSync } from "node:fs";
import { join } from "node:path";

const README = join(import.meta.dirname, "../../README.md");

/** A step of the walk in the README: the lines to paste, and what they are said to print. */
export interface WalkStep {
  readonly commands: string;
  readonly output: string;
}

export function readmeText(): string {
  return readFileSync(README, "utf8");
}

/** The blocks marked `<!-- walk -->`, each with the block marked `<!-- output -->` after it. */
export function readmeWalk(): WalkStep[] {
  const step = /<!-- walk -->\n```sh\n(.*?)```\n\n<!-- output -->\n```text\n(.*?)```/gs;
  return [...readmeText().matchAll(step)].map(([, commands = "", output = ""]) => ({ commands, output }));
}
