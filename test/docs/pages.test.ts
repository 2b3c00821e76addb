import { execFileSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { pageText } from "../support/page-walk.ts";

const ROOT = join(import.meta.dirname, "../..");
const SHIPPED = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...globSync("docs/*.md", { cwd: ROOT })];
const PAGES = [...SHIPPED, "wake_jobs/README.md", "p/README.md"];

interface Link {
  readonly page: string;
  readonly to: string;
  /** The heading that the link names, or undefined for a whole page. */
  readonly anchor: string | undefined;
}

function linksOn(page: string): Link[] {
  const found = pageText(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g);
  return [...found].map(([, to = "", anchor]) => ({ page, to: to === "" ? page : normalize(join(dirname(page), to)), anchor }));
}

/** The anchors that GitHub and npm give to a page's headings. */
function anchorsOn(page: string): string[] {
  return [...pageText(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("every link in the documentation", () => {
  const links = PAGES.flatMap(linksOn);

  it("leads to a file, and to a heading in it", () => {
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter(({ to }) => !existsSync(join(ROOT, to)))).toEqual([]);
    const anchored = links.filter(({ anchor }) => anchor !== undefined);
    expect(anchored.filter(({ to, anchor = "" }) => !anchorsOn(to).includes(anchor))).toEqual([]);
  });

  it("works in the published package too", () => {
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], { cwd: ROOT, encoding: "utf8" }),
    );
    const files: readonly string[] = packed.files.map(({ path }: { readonly path: string }) => path);
    expect(SHIPPED.filter((page) => !files.includes(page))).toEqual([]);
    const isShipped = (path: string): boolean => files.some((file) => file === path || file.startsWith(`${path}/`));
    expect(SHIPPED.flatMap(linksOn).filter(({ to }) => !isShipped(to))).toEqual([]);
  });
});

describe("every source file that the documentation names", () => {
  const sources = globSync("{src,test,scripts,lint}/**", { cwd: ROOT });
  /** The contract also names files that are still to come. */
  const named = PAGES.filter((page) => page !== "docs/contract.md").flatMap((page) =>
    [...pageText(page).matchAll(/`((?:src|test|scripts|lint)\/[\w./-]+|[\w./-]+\.(?:ts|cjs|mjs|grit))`/g)].map(
      ([, name = ""]) => ({
        page,
        name,
      }),
    ),
  );

  it("exists", () => {
    expect(named).toContainEqual({ page: "docs/state-machine.md", name: "src/job/decide.ts" });
    const isThere = (name: string): boolean =>
      existsSync(join(ROOT, name)) || sources.some((source) => source.endsWith(`/${name}`));
    expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
  });
});

describe("every table in the documentation", () => {
  const tables = PAGES.flatMap((page) => (pageText(page).match(/(?:^\|.*\n)+/gm) ?? []).map((table) => ({ page, table })));

  it("fits 120 columns", () => {
    const wide = tables.flatMap(({ page, table }) =>
      table.split("\n").flatMap((row) => ([...row].length > 120 ? [`${page}: ${row}`] : [])),
    );
    expect(wide).toEqual([]);
  });

  it("has rows that fit its header, and none twice", () => {
    const cells = (row: string): number => row.replaceAll(/`[^`]*`/g, "").split("|").length;
    for (const { page, table } of tables) {
      const rows = table.trimEnd().split("\n");
      expect(new Set(rows.map(cells)).size, `${page}: ${table}`).toBe(1);
      expect(new Set(rows).size, `${page}: ${table}`).toBe(rows.length);
    }
  });
});
