import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** A text of a page, or a drawn form, and how much it stands out from its ground. */
export interface Contrast {
  readonly what: string;
  readonly ratio: number;
}

const PROGRAM = readFileSync(join(import.meta.dirname, "contrasts-in-page.js"), "utf8");

export function contrastsOn(page: Page): Promise<{ readonly texts: Contrast[]; readonly forms: Contrast[] }> {
  return page.evaluate(PROGRAM);
}
