import { describe, expect, test } from "vitest";
import { complaintOf, withoutCredentials } from "../../src/git/git-words.ts";

describe("no credentials are ever told", () => {
  test.each([
    ["https://token@github.com/a/b.git", "https://github.com/a/b.git"],
    ["https://robot:token@github.com/a/b.git", "https://github.com/a/b.git"],
    ["https://robot:to@ken@github.com/a/b.git", "https://github.com/a/b.git"],
    ["https://host/a/b.git?private_token=abc and more", "https://host/a/b.git and more"],
    ["ssh://git@host/a/b", "ssh://host/a/b"],
    [
      "fatal: unable to access 'https://x:y@h/r.git/': no, https://z@h/",
      "fatal: unable to access 'https://h/r.git/': no, https://h/",
    ],
    ["found ghp_0123456789abcdef in a file", "found *** in a file"],
  ])("%s", (text, told) => {
    expect(withoutCredentials(text)).toBe(told);
  });

  test.each(["https://github.com/@scope/b.git", "see https://a/b or mail c@d.example"])("and %s stays as it is", (text) => {
    expect(withoutCredentials(text)).toBe(text);
  });
});

describe("of what git prints the complaints are told, on one line", () => {
  const complaint = (stderr: string, exit_code: number | null = 128): string => complaintOf({ exit_code, stderr });

  test("without hints, warnings and progress", () => {
    expect(complaint("warning: x\nEnumerating objects: 5, done.\nfatal: no such ref\nhint: try y\n")).toBe("fatal: no such ref");
  });
  test("in the remote's own words", () => {
    const said =
      "remote: Resolving deltas: 100% (1/1)\nremote: error: GH006: Protected branch\nTo file:///x\n ! [remote rejected] a -> b\nerror: failed to push some refs to 'x'\n";
    expect(complaint(said)).toBe("error: GH006: Protected branch");
  });
  test("and in ssh's", () => {
    const said =
      "ERROR: The key is read only.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n";
    expect(complaint(said)).toBe("ERROR: The key is read only.; fatal: Could not read from remote repository");
  });
  test("without what would move a terminal's cursor", () => {
    expect(complaint("fatal: \u001b[31mred\u001b[0m\u0007 \u009bwords\rover\n")).toBe("fatal: red words; over");
  });
  test("and a hook that talks without end is cut", () => {
    expect(complaint("remote: no\n".repeat(100_000)).length).toBeLessThan(2_001);
  });
  test("else what there is", () => expect(complaint("warning: only this\n")).toBe("warning: only this"));
  test("else the exit code", () => expect(complaint("", 3)).toBe("git ended with exit code 3"));
  test("what broke git comes first", () => {
    const broken = "git push did not answer within 30 s and was ended";
    expect(complaintOf({ exit_code: null, stderr: "ssh: no route\n", broken })).toBe(`${broken}; ssh: no route`);
  });
});
