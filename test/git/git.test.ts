import { describe, expect, test } from "vitest";
import { complaintOf, withoutCredentials } from "../../src/git/git.ts";

describe("no credentials of a remote's address are ever told", () => {
  test.each([
    ["https://token@github.com/a/b.git", "https://github.com/a/b.git"],
    ["https://robot:token@github.com/a/b.git", "https://github.com/a/b.git"],
    ["https://robot:to@ken@github.com/a/b.git", "https://github.com/a/b.git"],
    ["ssh://git@host/a/b", "ssh://host/a/b"],
    [
      "fatal: unable to access 'https://x:y@h/r.git/': no, https://z@h/",
      "fatal: unable to access 'https://h/r.git/': no, https://h/",
    ],
  ])("%s", (text, told) => {
    expect(withoutCredentials(text)).toBe(told);
  });

  test.each(["https://github.com/@scope/b.git", "see https://a/b or mail c@d.example"])("and %s stays as it is", (text) => {
    expect(withoutCredentials(text)).toBe(text);
  });
});

describe("of git's complaint the line that says what is wrong is told", () => {
  const complaint = (stderr: string, exit_code: number | null = 128): string =>
    complaintOf({ exit_code, stdout: "", stdoutBytes: Buffer.alloc(0), stderr });

  test("the fatal or error line", () => {
    expect(complaint("warning: x\nfatal: no such ref\nhint: try y\n")).toBe("fatal: no such ref");
    expect(complaint("error: a\nfatal: b\n")).toBe("error: a");
  });
  test("else the last one", () => expect(complaint("one\ntwo\n\n")).toBe("two"));
  test("else its exit code", () => expect(complaint("", 3)).toBe("git ended with 3"));
});
