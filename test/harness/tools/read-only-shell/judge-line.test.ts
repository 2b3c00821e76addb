import { describe, expect, test } from "vitest";
import { judgeLine } from "../../../../src/harness/tools/read-only-shell/judge-line.ts";
import { READING_LINES, REFUSED_LINES } from "./lines.ts";

const WORKSPACE = "/the/workspace";

/** What is run for a line; or why it is refused. */
function scriptOf(line: string): string {
  const judged = judgeLine(line, WORKSPACE);
  return judged.kind === "refused" ? `refused: ${judged.why}` : judged.script;
}

test.each(READING_LINES)("may be run by a read-only agent: %s", (line) => {
  expect(judgeLine(line, WORKSPACE)).toMatchObject({ kind: "reads_only" });
});

test.each(REFUSED_LINES)("is refused, since it %s: %s", (_what, line) => {
  const judged = judgeLine(line, WORKSPACE);
  expect(judged).toMatchObject({ kind: "refused", why: expect.stringMatching(/\w/) });
});

describe("what is run is printed anew from what was understood", () => {
  test.each<[line: string, script: string]>([
    [`echo "a'b"`, `echo 'a'\\''b'`],
    ["echo $'a\\tb' a\\;b \"x\"'y'z", "echo 'a\tb' 'a;b' xyz"],
    ["ls *.ts", "ls ./*.ts"],
    ["ls 'a*'b*", "ls 'a*'b*"],
    ["l's' # and a comment", "ls"],
    ["ls; ls\nls", "ls\nls\nls"],
    ["((ls) )", "( ( ls ) )"],
    ["cd src && ls 2>&1 | head", "cd ./src && ls 2>&1 | head"],
    ["git status", "git --no-pager status --ignore-submodules=all"],
    ["ls /the/workspace/src", "ls /the/workspace/src"],
  ])("%s", (line, script) => {
    expect(scriptOf(line)).toBe(script);
  });
});

test("a refusal says what was refused, and what is taken instead", () => {
  expect(scriptOf("sort -o x y")).toBe("refused: sort: the option -o is not one that is known to read only");
  expect(scriptOf("git push")).toBe("refused: git push is not one of the commands that are known to read only");
  expect(scriptOf("cat $FILE")).toContain("give plain words");
  expect(scriptOf("sed 's/a/b/w x' y")).toContain("like 1,20p, /x/p, s/a/b/g");
});

test("names what it reads by where it may be, so that links can be looked at", () => {
  const judged = judgeLine("cd src && cat a b/*.ts; git diff HEAD -- c", WORKSPACE);
  expect(judged).toMatchObject({ usesGit: true });
  expect(judged.kind === "reads_only" ? new Set(judged.paths) : undefined).toEqual(
    new Set(["src", "a", "src/a", "b/", "src/b/", "HEAD", "src/HEAD", "c", "src/c"]),
  );
});

test("a line that is nested as deep as it may be long is judged at once", () => {
  for (const opening of ["$(", "(", "{", "((", "`", "${a:-", "<(", "[[ ", "if ", "a|", '"$(']) {
    expect(scriptOf(opening.repeat(8_192 / opening.length))).toContain("refused");
  }
});
