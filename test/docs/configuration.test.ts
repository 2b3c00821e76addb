import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { requireConfig } from "../../src/config/config.ts";
import { pageText } from "../support/page-walk.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = pageText("docs/configuration.md");

/** `ntfy.urls` for a group of keys, `store` for a key by itself. Holds are named by their owner, so they are one key. */
type ConfigKey<C = Required<Config>> = {
  [Key in keyof C & string]: Key extends "ntfy" | "git" ? `${Key}.${keyof NonNullable<C[Key]> & string}` : Key;
}[keyof C & string];

/** A key that the schema takes and this list misses does not compile; nor does one that the schema does not take. */
const KEYS = Object.keys({
  jobs_dir: true,
  pages_dir: true,
  store: true,
  "git.remote": true,
  "git.branch": true,
  "git.pages_branch": true,
  "git.sign": true,
  "ntfy.urls": true,
  "ntfy.token_env": true,
  "ntfy.timeout_seconds": true,
  holds: true,
} satisfies Record<ConfigKey, true>);

/** The first cells of the tables in the page's section. */
function firstCells(section: string): string[] {
  const [, rest = ""] = PAGE.split(`\n## ${section}\n`);
  const [found = ""] = rest.split("\n## ");
  return [...found.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(", "));
}

describe("docs/configuration.md", () => {
  it("lists every key that the schema of the config takes, and no other", () => {
    expect(firstCells("Keys").sort()).toEqual(KEYS.sort());
  });

  it("lists every variable of its own that the program reads, and no other", () => {
    const sources = globSync("src/**/*.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
    const read = new Set(sources.join("\n").match(/(?<=env\[")HARNESS_WAKE_[A-Z_]+/g));
    expect(read).toContain("HARNESS_WAKE_JOBS_DIR");
    const listed = firstCells("Environment variables").filter((variable) => variable.startsWith("HARNESS_WAKE_"));
    expect(new Set(listed)).toEqual(read);
  });

  it("shows configs that are valid", () => {
    const examples = [...PAGE.matchAll(/```json\n(.*?)```/gs)].map(([, example = ""]) => JSON.parse(example));
    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) requireConfig(example, "docs/configuration.md");
  });
});
