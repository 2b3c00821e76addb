import { describe, expect, test } from "vitest";
import { MEANINGS } from "../../src/harness/agents/agent-error.ts";
import { KNOWN_AGENTS } from "../../src/harness/agents/known-agents.ts";
import { ENCLOSURE_KINDS, PROTECTION } from "../../src/harness/enclosure/enclosure.ts";
import { pageText } from "../support/page-walk.ts";

/** The rows of the page's tables by their first cell. */
const rows = new Map(
  [...pageText("docs/agents.md").matchAll(/^\| `([^`]+)` +\|(.*)\|$/gm)].map(([, name = "", cells = ""]) => [
    name,
    cells.split("|").map((cell) => cell.trim()),
  ]),
);

describe("the page on agents and enclosures", () => {
  test("lists every agent with its program and its keys", () => {
    for (const { name, program, api, sessions } of KNOWN_AGENTS) {
      const [shown, goesOn, keys] = rows.get(name) ?? [];
      expect(shown).toBe(`\`${program}\``);
      expect([...(keys ?? "").matchAll(/`(\w+)`/g)].map(([, key]) => key)).toEqual(api.keys.map(({ variable }) => variable));
      expect(goesOn).toBe(sessions === undefined ? "no" : "yes");
    }
  });

  test("lists every kind of error", () => {
    for (const kind of Object.keys(MEANINGS)) expect(rows.has(kind), kind).toBe(true);
  });

  test("says of every enclosure what it gives, and no more", () => {
    for (const kind of ENCLOSURE_KINDS) {
      const { endsEverything, protectsFiles, hidesEnvironment } = PROTECTION[kind];
      const [, ending, files, environment] = rows.get(kind) ?? [];
      expect(ending === "yes").toBe(endsEverything);
      expect(files).toBe(protectsFiles ? "protected" : "not protected");
      expect(environment).toBe(hidesEnvironment ? "hidden" : "readable");
    }
  });
});
