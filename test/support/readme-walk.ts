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

/** The blocks marked `<!-- walk -->` in a section, each with the block marked `<!-- output -->` after it, where it prints. */
export function readmeWalk(section: string): WalkStep[] {
  const [, ...rest] = readmeText().split(`\n## ${section}\n`);
  const [found = ""] = rest.join("").split("\n## ");
  const step = /<!-- walk -->\n```sh\n(.*?)```(?:\n\n<!-- output -->\n```text\n(.*?)```)?/gs;
  return [...found.matchAll(step)].map(([, commands = "", output = ""]) => ({ commands, output }));
}
