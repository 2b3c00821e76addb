import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** A step of a walk on a page: the lines to paste, and what the page says that they print. */
export interface WalkStep {
  readonly commands: string;
  readonly output: string;
}

/** A page of the documentation, such as `README.md` or `docs/tutorial.md`. */
export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** The page's blocks marked `<!-- walk -->`, each with the block marked `<!-- output -->` after it. */
export function walkOn(page: string): WalkStep[] {
  const step = /<!-- walk -->\s+```sh\n(.*?)```(?:\s+<!-- output -->\s+```text\n(.*?)```)?/gs;
  return [...pageText(page).matchAll(step)].map(([, commands = "", output = ""]) => ({ commands, output }));
}
