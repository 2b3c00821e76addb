import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findEnclosure } from "../../../../src/harness/enclosure/find-enclosure.ts";
import { judgeLine } from "../../../../src/harness/tools/read-only-shell/judge-line.ts";
import { printWord, textWord } from "../../../../src/harness/tools/read-only-shell/shell-word.ts";
import { shellTool } from "../../../../src/harness/tools/shell.ts";
import { fuzzRuns } from "../../../support/fuzz-runs.ts";
import { hostileCheckout } from "../../../support/hostile-checkout.ts";

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", LC_ALL: "C.UTF-8" };

test.each(["sh", "bash"])("%s reads every word that is printed as the text that it was", (shell) => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(..."'\"\\$`*?[]~!#&|;<>(){}=-\n\t "),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    ),
  });
  fc.assert(
    fc.property(
      fc.array(
        text.filter((word) => !word.includes("\0")),
        { minLength: 1, maxLength: 60 },
      ),
      (words) => {
        const script = `printf '%s\\0' ${words.map((word) => printWord(textWord(word))).join(" ")}`;
        expect(execFileSync(shell, ["-c", script], { encoding: "utf8", env })).toBe(words.map((word) => `${word}\0`).join(""));
      },
    ),
    fuzzRuns(100),
  );
});

const PROGRAM = fc.constantFrom(
  ...[
    "cat",
    "cmp",
    "comm",
    "cut",
    "diff",
    "file",
    "find",
    "find .",
    "grep x",
    "head",
    "hexdump",
    "join",
    "jq .",
    "ls",
    "nl",
    "od",
  ],
  ...["paste", "rev", "sed", "sed p", "sort", "stat", "strings", "tac", "tail", "tr a", "uniq", "wc", "xxd", "echo", "printf x"],
  ...["git blame", "git branch", "git branch --list", "git cat-file", "git describe", "git diff", "git diff-tree", "git grep"],
  ...[
    "git log",
    "git ls-files",
    "git ls-tree",
    "git rev-list",
    "git rev-parse",
    "git shortlog",
    "git show",
    "git status",
    "git tag -l",
  ],
);
/** Options that are allowed somewhere, and what must be an option nowhere. */
const OPTION = fc.constantFrom(
  ...[
    "-a",
    "-b",
    "-c",
    "-C",
    "-d",
    "-e",
    "-i",
    "-l",
    "-n",
    "-n1",
    "-o",
    "-O",
    "-p",
    "-r",
    "-s",
    "-u",
    "-v",
    "-w",
    "-z",
    "-1",
    "--",
  ],
  ...["--all", "--stat", "--name-only", "--format=%G?", "--textconv", "--ext-diff", "--output", "--output=fresh", "-ofresh"],
  ...["-exec", "-delete", "-fprint", "-print", "-name", "'w fresh'", "'1e touch fresh'", "--filters", "-Ofresh", "--stdin"],
);
const OPERAND = fc.constantFrom(
  "README.md",
  "src/a.ts",
  "fresh",
  "-",
  "HEAD",
  "main",
  "side",
  "evil",
  "1",
  "+1",
  "package.json",
  ".",
);
const QUOTED_NOTHING = fc.constantFrom("''", '""', "$''", "'-'", "\\-", '"--"', "");
const PATTERN = fc.constantFrom("*", "?*", "-*", "--*", "[!a]*", "*=*", "*fresh", "src/*", "./*", "*.txt");
const WORD = fc.oneof(
  OPTION,
  OPERAND,
  fc.tuple(QUOTED_NOTHING, PATTERN).map((pieces) => pieces.join("")),
);
const COMMAND = fc.tuple(PROGRAM, fc.array(WORD, { maxLength: 5 })).map(([program, words]) => [program, ...words].join(" "));
const LINE = fc
  .tuple(COMMAND, fc.constantFrom(" | ", "; ", " && ", "\n"), fc.option(COMMAND))
  .map(([first, join, second]) => (second === null ? first : `${first}${join}${second}`));

test("no line that the policy lets through changes anything, though nothing protects the tree", async () => {
  const world = hostileCheckout();
  const enclosure = await findEnclosure({ choice: "auto", env, kinds: ["marks", "group"] });
  const shell = shellTool({ workspace: world.tree, authority: "read_only", enclosure, env, mounts: [] });
  const before = stampsOf([world.tree, world.remote]);
  const over = new AbortController().signal;
  await fc.assert(
    fc.asyncProperty(
      LINE.filter((line) => judgeLine(line, world.tree).kind === "reads_only"),
      async (command) => {
        await shell.call({ command, timeout_seconds: 10 }, over);
        expect(stampsOf([world.tree, world.remote])).toEqual(before);
        expect(world.ran()).toEqual([]);
      },
    ),
    // What was changed stays so: a shorter line could not be told from the first.
    { ...fuzzRuns(150), endOnFailure: true },
  );
});

/** When each file was last changed, by the kernel's word. */
function stampsOf(directories: readonly string[]): readonly string[] {
  return directories.flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: "utf8" }).map(
      (name) => `${name} ${lstatSync(join(directory, name)).ctimeMs}`,
    ),
  );
}
