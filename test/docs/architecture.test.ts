import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { pageText } from "../support/page-walk.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The rooms in the page's order, highest first. */
const [, table = ""] = pageText("docs/architecture.md").split("\n## Rooms\n");
const ROOMS = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| `(src\/[^`]+)`/gm)].map(([, room = ""]) => room);

function roomOf(file: string): string | undefined {
  const fitting = ROOMS.filter((room) => (room.endsWith("/") ? file.startsWith(room) : file === room));
  return fitting.toSorted((a, b) => b.length - a.length)[0];
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const found = text.matchAll(/(?:\bfrom |\bimport\()\s*"(\.[^"]+)"/g);
  return [...found].map(([, path = ""]) => normalize(join(dirname(file), path)));
}

const FILES = globSync("src/**/*.ts", { cwd: ROOT });

it("every source file belongs to a room of docs/architecture.md, and every room has files", () => {
  expect(FILES.filter((file) => roomOf(file) === undefined)).toEqual([]);
  expect(ROOMS.filter((room) => !FILES.some((file) => roomOf(file) === room))).toEqual([]);
});

it("no import points up the table of rooms", () => {
  const height = (file: string): number => ROOMS.indexOf(roomOf(file) ?? "");
  const imports = FILES.flatMap((file) => importsOf(file).map((imported) => ({ file, imported })));
  expect(imports).toContainEqual({ file: "src/fleet.ts", imported: "src/store/job-store.ts" });
  expect(imports.filter(({ file, imported }) => height(imported) < height(file))).toEqual([]);
});
