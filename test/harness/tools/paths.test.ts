import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { usePlace } from "../../../src/harness/tools/locate.ts";
import { openTools } from "../../../src/harness/tools/open-tools.ts";
import { readTextFile } from "../../../src/harness/tools/read-text-file.ts";
import type { Tool } from "../../../src/harness/tools/tool.ts";
import { writeTextFile } from "../../../src/harness/tools/write-text-file.ts";
import { callTool } from "../../support/call-tool.ts";
import { directoryBytes } from "../../support/directory-bytes.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const NO_ENCLOSURE = {
  cage: () => {
    throw new Error("no test here runs a program");
  },
};

let outside: string;
let workspace: string;
let tools: readonly Tool[];

beforeEach(() => {
  const root = tempDirectory();
  [outside, workspace] = [join(root, "outside"), join(root, "workspace")];
  for (const directory of [outside, join(workspace, "src/deep")]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(outside, "secret.txt"), "a secret\n");
  writeFileSync(join(workspace, "file.txt"), "a file\n");
  writeFileSync(join(workspace, "src/a.ts"), "export const a = 1;\n");
  symlinkSync(outside, join(workspace, "to-outside"));
  symlinkSync(join(outside, "secret.txt"), join(workspace, "to-secret"));
  symlinkSync("../outside", join(workspace, "to-outside-relative"));
  symlinkSync("../../outside/secret.txt", join(workspace, "src/climbs"));
  symlinkSync("to-outside", join(workspace, "to-a-link"));
  symlinkSync("missing", join(workspace, "to-nothing"));
  symlinkSync("loop", join(workspace, "loop"));
  symlinkSync("src", join(workspace, "to-src"));
  symlinkSync(join(workspace, "src/a.ts"), join(workspace, "to-a"));
  symlinkSync("/", join(workspace, "to-root"));
  symlinkSync("/proc/self/cwd", join(workspace, "to-cwd"));
  tools = openTools({ workspace, authority: "read_write", enclosure: NO_ENCLOSURE, env: {} });
});

/** Inputs of every tool that takes a path. */
const CALLS = [
  ["read", {}],
  ["write", { content: "evil\n" }],
  ["edit", { old_text: "e", new_text: "evil", all: true }],
  ["search", { pattern: "." }],
] as const;

/** Paths that lead out of the workspace, by what they do; `OUT` stands for the directory outside. */
const ESCAPES: readonly (readonly [what: string, path: string])[] = [
  ["climbs", "../outside/secret.txt"],
  ["climbs to the directory", ".."],
  ["climbs in the middle", "src/../../outside/secret.txt"],
  ["climbs far", "../../../../../../../../etc/passwd"],
  ["climbs from below", "src/deep/../../../outside/secret.txt"],
  ["climbs with dots and slashes between", "src/.//..//./../outside/secret.txt"],
  ["is absolute", "OUT/secret.txt"],
  ["is absolute and elsewhere", "/etc/passwd"],
  ["is the root", "/"],
  ["is absolute and climbs", "WS/../outside/secret.txt"],
  ["only begins like the workspace", "WS-not/secret.txt"],
  ["goes through a link", "to-outside/secret.txt"],
  ["goes through a relative link", "to-outside-relative/secret.txt"],
  ["is a link", "to-secret"],
  ["is a link that climbs", "src/climbs"],
  ["goes through a link to a link", "to-a-link/secret.txt"],
  ["goes through a link to the root", "to-root/etc/passwd"],
  ["goes through a link and back", "to-outside/../outside/secret.txt"],
  ["goes through a link inside, and climbs", "to-src/../../outside/secret.txt"],
  ["goes through a link to where the process runs", "to-cwd/package.json"],
  ["is a link that leads to itself", "loop"],
  ["goes through a link that leads to itself", "loop/secret.txt"],
  ["holds a NUL", "file.txt\0/../../outside/secret.txt"],
];

describe.each(CALLS)("%s", (name, more) => {
  test.each(ESCAPES)("refuses a path that %s: %s", async (_what, path) => {
    const before = directoryBytes(outside);
    const given = path.replace("OUT", outside).replace("WS", workspace);
    const result = await callTool(tools, name, { path: given, ...more });
    expect(result).toMatchObject({ kind: "error" });
    expect(JSON.stringify(result)).not.toContain("a secret");
    expect(directoryBytes(outside)).toEqual(before);
  });
});

test.each(["file.txt", "./file.txt", "src/../file.txt", "WS/file.txt", "to-src/../file.txt", "src/deep/../../file.txt"])(
  "a path that stays inside is taken: %s",
  async (path) => {
    const result = await callTool(tools, "read", { path: path.replace("WS", workspace) });
    expect(result).toEqual({ kind: "text", text: "a file\n" });
  },
);

test("a link that stays inside is followed, and its target is what is written", async () => {
  expect(await callTool(tools, "read", { path: "to-src/a.ts" })).toEqual({ kind: "text", text: "export const a = 1;\n" });
  expect(await callTool(tools, "write", { path: "to-a", content: "new\n" })).toMatchObject({
    text: "src/a.ts is written: 4 bytes",
  });
  expect(readFileSync(join(workspace, "src/a.ts"), "utf8")).toBe("new\n");
  expect(await callTool(tools, "write", { path: "to-nothing", content: "made\n" })).toMatchObject({ kind: "text" });
  expect(readFileSync(join(workspace, "missing"), "utf8")).toBe("made\n");
});

test("a search follows no link that it meets", async () => {
  const result = await callTool(tools, "search", { pattern: "secret|export" });
  expect(result).toEqual({ kind: "text", text: "src/a.ts:1:export const a = 1;" });
});

describe("a link that is made after the check", () => {
  test("in the place of a directory on the way leads nowhere: the directory that was checked is used", async () => {
    await usePlace(workspace, "src/a.ts", "change", (place) => {
      renameSync(join(workspace, "src"), join(workspace, "was-src"));
      symlinkSync(outside, join(workspace, "src"));
      writeFileSync(join(outside, "a.ts"), "outside\n");
      expect(readTextFile(place)).toBe("export const a = 1;\n");
      writeTextFile(place, "inside\n");
    });
    expect(readFileSync(join(workspace, "was-src/a.ts"), "utf8")).toBe("inside\n");
    expect(readFileSync(join(outside, "a.ts"), "utf8")).toBe("outside\n");
  });

  test("in the place of a file is not read", async () => {
    await usePlace(workspace, "file.txt", "read", (place) => {
      rmSync(join(workspace, "file.txt"));
      symlinkSync(join(outside, "secret.txt"), join(workspace, "file.txt"));
      expect(() => readTextFile(place)).toThrow("not a file that can be read");
    });
  });

  test("in the place of a file is not written through", async () => {
    await usePlace(workspace, "file.txt", "write", (place) => {
      rmSync(join(workspace, "file.txt"));
      symlinkSync(join(outside, "secret.txt"), join(workspace, "file.txt"));
      expect(() => writeTextFile(place, "evil\n")).toThrow("is no regular file");
    });
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("a secret\n");
  });

  test("in the place of a file that is not there yet is not written through", async () => {
    await usePlace(workspace, "fresh.txt", "write", (place) => {
      symlinkSync(join(outside, "fresh.txt"), join(workspace, "fresh.txt"));
      expect(() => writeTextFile(place, "evil\n")).toThrow("is no regular file");
    });
    expect(existsSync(join(outside, "fresh.txt"))).toBe(false);
  });
});

test("a second name of a file outside is replaced, and the file outside is not written", async () => {
  linkSync(join(outside, "secret.txt"), join(workspace, "second-name.txt"));
  expect(await callTool(tools, "write", { path: "second-name.txt", content: "evil\n" })).toMatchObject({ kind: "text" });
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("a secret\n");
});

test.each([".git/config", ".git/hooks/post-commit", "src/.git/config", ".GIT/config", ".git"])(
  "git's own files are not written: %s",
  async (path) => {
    mkdirSync(join(workspace, ".git"));
    writeFileSync(join(workspace, ".git/config"), "[core]\n");
    expect(await callTool(tools, "write", { path, content: "evil" })).toMatchObject({ kind: "error" });
    expect(await callTool(tools, "edit", { path, old_text: "core", new_text: "evil" })).toMatchObject({ kind: "error" });
    expect(readFileSync(join(workspace, ".git/config"), "utf8")).toBe("[core]\n");
  },
);

test("nothing is made on the way to a path that is refused", async () => {
  await callTool(tools, "write", { path: "new/../../outside/x", content: "" });
  await callTool(tools, "edit", { path: "other/x", old_text: "a", new_text: "b" });
  expect(existsSync(join(workspace, "other"))).toBe(false);
  expect(existsSync(join(outside, "x"))).toBe(false);
});
