import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeEach, describe, expect, test } from "vitest";
import { OUTPUT_BYTES_MAX } from "../../../src/harness/tools/capped-output.ts";
import { openTools } from "../../../src/harness/tools/open-tools.ts";
import type { Authority, Tool, ToolName } from "../../../src/harness/tools/tool.ts";
import { callTool } from "../../support/call-tool.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

let workspace: string;
let tools: readonly Tool[];

function opened(authority: Authority): readonly Tool[] {
  const cage = () => {
    throw new Error("no test here runs a program");
  };
  return openTools({ workspace, authority, enclosure: { cage }, env: {} });
}

beforeEach(() => {
  workspace = tempDirectory();
  tools = opened("read_write");
});

function put(path: string, content: string | Buffer): void {
  mkdirSync(join(workspace, path, ".."), { recursive: true });
  writeFileSync(join(workspace, path), content);
}

async function saidBy(name: ToolName, input: unknown, signal?: AbortSignal): Promise<string> {
  const result = await callTool(tools, name, input, signal);
  return result.kind === "text" ? result.text : `error: ${result.message}`;
}

test("a read-only agent gets no write and no edit", () => {
  expect(opened("read_only").map(({ name }) => name)).toEqual(["read", "search", "shell"]);
  expect(opened("read_write").map(({ name }) => name)).toEqual(["read", "search", "shell", "write", "edit"]);
});

test("every tool says what it takes in a JSON Schema of an object, and holds its input to that", async () => {
  for (const tool of tools) {
    const isValid = new Ajv2020({ strict: false }).compile(tool.inputSchema);
    expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(tool.description).toMatch(/\.$/);
    for (const input of [undefined, null, "text", [], { nothing: 1 }, { path: 1, command: 1, content: 1, pattern: 1 }]) {
      if (input !== undefined) expect(isValid(input)).toBe(false);
      expect(await tool.call(input, new AbortController().signal)).toMatchObject({ kind: "error" });
    }
  }
});

describe("read", () => {
  test("gives a file as it is", async () => {
    put("a.txt", "one\r\ntwo ü\n");
    expect(await saidBy("read", { path: "a.txt" })).toBe("one\r\ntwo ü\n");
    put("empty.txt", "");
    expect(await saidBy("read", { path: "empty.txt" })).toBe("");
  });

  test("gives the lines that were asked for", async () => {
    put("a.txt", "one\ntwo\nthree\nfour");
    expect(await saidBy("read", { path: "a.txt", first_line: 2, lines: 2 })).toBe("two\nthree\n");
    expect(await saidBy("read", { path: "a.txt", first_line: 4 })).toBe("four");
    expect(await saidBy("read", { path: "a.txt", first_line: 5 })).toBe("error: read: a.txt has 4 lines; line 5 is not there");
  });

  test("gives as much as fits, and says how to go on", async () => {
    put("long.txt", `${"x".repeat(999)}\n`.repeat(200));
    const said = await saidBy("read", { path: "long.txt" });
    expect(Buffer.byteLength(said)).toBeLessThan(OUTPUT_BYTES_MAX + 100);
    expect(said).toMatch(/\n\[lines 1 to 65 of 200; go on with first_line 66\]$/);
  });

  test.each<[what: string, make: () => void, says: string]>([
    ["is not there", () => undefined, "x is not there"],
    ["is a directory", () => put("x/a", ""), "not a file that can be read"],
    ["is no text", () => put("x", Buffer.from([0xff, 0xfe, 0x41])), "is not UTF-8 text"],
    ["holds zero bytes", () => put("x", "a\0b"), "is not UTF-8 text"],
    ["is too large", () => put("x", Buffer.alloc(5_000_000, "a")), "at most 4194304 are read"],
    ["has a line that does not fit", () => put("x", "a".repeat(100_000)), "line 1 of x alone"],
  ])("is an error where the file %s", async (_what, make, says) => {
    make();
    expect(await saidBy("read", { path: "x" })).toContain(`error: read: `);
    expect(await saidBy("read", { path: "x" })).toContain(says);
  });
});

describe("write", () => {
  test("makes a file, and the directories that it needs", async () => {
    expect(await saidBy("write", { path: "a/b/c.txt", content: "ü\n" })).toBe("a/b/c.txt is written: 3 bytes");
    expect(await saidBy("read", { path: "a/b/c.txt" })).toBe("ü\n");
  });

  test("replaces a file whole, keeps its mode, and leaves nothing beside it", async () => {
    put("run.sh", "a much longer text\n");
    chmodSync(join(workspace, "run.sh"), 0o755);
    await saidBy("write", { path: "run.sh", content: "short\n" });
    expect(await saidBy("read", { path: "run.sh" })).toBe("short\n");
    expect(statSync(join(workspace, "run.sh")).mode & 0o777).toBe(0o755);
    expect(readdirSync(workspace)).toEqual(["run.sh"]);
  });

  test.each<[what: string, path: string, content: string]>([
    ["a directory", "x", ""],
    ["a place below a file", "file/a", ""],
    ["more than fits", "y", "a".repeat(5_000_000)],
    ["the workspace itself", ".", ""],
  ])("does not write %s", async (_what, path, content) => {
    put("x/a", "");
    put("file", "a file\n");
    expect(await saidBy("write", { path, content })).toMatch(/^error: write: /);
    expect(readdirSync(workspace).sort()).toEqual(["file", "x"]);
  });
});

describe("edit", () => {
  beforeEach(() => put("a.ts", "const a = $1;\nconst b = a + a;\n"));

  test("replaces the text that stands there once, as it is", async () => {
    expect(await saidBy("edit", { path: "a.ts", old_text: "$1", new_text: "$& \\1" })).toBe("a.ts is changed in one place");
    expect(await saidBy("read", { path: "a.ts" })).toBe("const a = $& \\1;\nconst b = a + a;\n");
  });

  test("replaces every place where all are meant", async () => {
    expect(await saidBy("edit", { path: "a.ts", old_text: "const", new_text: "let", all: true })).toBe(
      "a.ts is changed in 2 places",
    );
    expect(await saidBy("read", { path: "a.ts" })).toBe("let a = $1;\nlet b = a + a;\n");
  });

  test.each<[what: string, input: object, says: string]>([
    ["is not there", { old_text: "nothing", new_text: "" }, "old_text is not in a.ts"],
    ["stands there more than once", { old_text: "const", new_text: "" }, "is in a.ts 2 times"],
    ["is empty", { old_text: "", new_text: "x" }, "the input.old_text"],
  ])("is an error where the text %s, and the file stays as it was", async (_what, input, says) => {
    expect(await saidBy("edit", { path: "a.ts", ...input })).toContain(says);
    expect(await saidBy("read", { path: "a.ts" })).toBe("const a = $1;\nconst b = a + a;\n");
  });

  test("is an error where there is no such file", async () => {
    expect(await saidBy("edit", { path: "b.ts", old_text: "a", new_text: "b" })).toBe("error: edit: b.ts is not there");
  });
});

describe("search", () => {
  beforeEach(() => {
    put("README.md", "Export nothing\n");
    put("src/a.ts", "const x = 1;\nexport const a = 1;\r\n");
    put("src/deep/b.ts", "export const b = 2;\n");
    put("src/binary", Buffer.from("export\0"));
    put("node_modules/p/index.ts", "export const p = 3;\n");
    put(".git/config", "export = evil\n");
  });

  test.each<[what: string, input: object, said: string[]]>([
    [
      "finds lines in all files",
      { pattern: "^export" },
      ["src/a.ts:2:export const a = 1;", "src/deep/b.ts:1:export const b = 2;"],
    ],
    ["ignores case where told", { pattern: "^export n", ignore_case: true }, ["README.md:1:Export nothing"]],
    ["looks below a directory", { pattern: "export", path: "src/deep" }, ["src/deep/b.ts:1:export const b = 2;"]],
    ["looks into one file", { pattern: "export", path: "src/a.ts" }, ["src/a.ts:2:export const a = 1;"]],
    [
      "looks where it otherwise would not",
      { pattern: "p", path: "node_modules/p" },
      ["node_modules/p/index.ts:1:export const p = 3;"],
    ],
    ["takes files by name", { pattern: "export", glob: "b.*" }, ["src/deep/b.ts:1:export const b = 2;"]],
    ["takes files by path", { pattern: "export", glob: "src/*.ts" }, ["src/a.ts:2:export const a = 1;"]],
    ["takes files at any depth", { glob: "src/**/*.ts" }, ["src/a.ts", "src/deep/b.ts"]],
    ["lists files", {}, ["README.md", "src/a.ts", "src/binary", "src/deep/b.ts"]],
    ["says that nothing was found", { pattern: "nowhere" }, ["[nothing was found]"]],
  ])("%s", async (_what, input, said) => {
    expect((await saidBy("search", input)).split("\n")).toEqual(said);
  });

  test("says what it left out", async () => {
    put("large.txt", Buffer.alloc(2_000_000, "export\n"));
    expect(await saidBy("search", { pattern: "export", path: "large.txt" })).toBe(
      "[nothing was found]\n[files over 1048576 bytes, left out: 1]",
    );
  });

  test("gives as much as fits, and says that there is more", async () => {
    put("many.txt", `${"export ".repeat(50)}\n`.repeat(1_000));
    const said = await saidBy("search", { pattern: "export", path: "many.txt" });
    expect(Buffer.byteLength(said)).toBeLessThan(OUTPUT_BYTES_MAX + 100);
    expect(said).toMatch(/\[more was found than fits: narrow the search\]$/);
  });

  test("is an error for a pattern that is none, for a place that is not there, and for a pattern that never ends", async () => {
    expect(await saidBy("search", { pattern: "(" })).toMatch(/^error: search: Invalid regular expression/);
    expect(await saidBy("search", { pattern: "a", path: "nowhere" })).toBe("error: search: nowhere is not there");
    put("evil.txt", `${"a".repeat(40)}!\n`);
    expect(await saidBy("search", { pattern: "^(a+)+$", path: "evil.txt" })).toMatch(
      /^error: search: the pattern takes too long/,
    );
  });

  test("ends when the run does", async () => {
    const over = new AbortController();
    over.abort();
    expect(await saidBy("search", { pattern: "export" }, over.signal)).toMatch(/^error: search: it took too long/);
  });

  test("passes over what is no file: a pipe is not waited for", async () => {
    symlinkSync("/dev/zero", join(workspace, "src/zero"));
    expect(await saidBy("search", { pattern: "^export const b" })).toBe("src/deep/b.ts:1:export const b = 2;");
  });
});
