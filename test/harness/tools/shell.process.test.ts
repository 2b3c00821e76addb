import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findEnclosure } from "../../../src/harness/enclosure/find-enclosure.ts";
import { openTools } from "../../../src/harness/tools/open-tools.ts";
import type { Authority, ToolResult } from "../../../src/harness/tools/tool.ts";
import { callTool } from "../../support/call-tool.ts";
import { processesWith } from "../../support/enclosed-run.ts";
import { git } from "../../support/git.ts";
import { addRemote, commitAll, freshRepository, writeIn } from "../../support/git-repository.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", LC_ALL: "C", GREETING: "hello" };

const bubblewrap = await findEnclosure({ choice: "bwrap", env }).catch(() => undefined);

let workspace: string;

beforeEach(() => {
  workspace = tempDirectory();
});

/** What a line of shell comes to, under bubblewrap. */
function shell(
  command: string,
  authority: Authority = "read_write",
  more: object = {},
  signal?: AbortSignal,
): Promise<ToolResult> {
  if (bubblewrap === undefined) throw new Error("these tests need bubblewrap");
  const tools = openTools({ workspace, authority, enclosure: bubblewrap, env });
  return callTool(tools, "shell", { command, ...more }, signal);
}

describe.skipIf(bubblewrap === undefined)("what a command comes to", () => {
  test("is what it wrote, in the workspace and with the run's environment alone", async () => {
    expect(await shell("pwd; echo $GREETING $SECRET")).toEqual({
      kind: "text",
      text: `${workspace}\nhello\n`,
    });
  });

  test.each([
    ["that fails", "echo before; exit 3", "The command ended with 3.\nbefore\n"],
    ["that is killed", "echo before; kill -9 $$", "The command ended with 137.\nbefore\n"],
    ["that is not there", "no-such-program", "The command ended with 127.\n"],
  ])("is an error for one %s, with what it wrote", async (_what, command, message) => {
    expect(await shell(command)).toMatchObject({ kind: "error", message: expect.stringContaining(message) });
  });

  test("is an error for one that takes too long, and what it started ends with it", async () => {
    const result = await shell("sleep 987654 & setsid sleep 987654 & echo begun; wait", "read_write", { timeout_seconds: 1 });
    expect(result).toMatchObject({
      kind: "error",
      message: expect.stringContaining("The command was stopped: it took longer than 1 s.\nbegun\n"),
    });
    expect(processesWith("987654")).toEqual([]);
  });

  test("is there when the command ends, and what it left behind is not", async () => {
    expect(await shell("(setsid sleep 987655 &) ; echo done")).toEqual({ kind: "text", text: "done\n" });
    expect(processesWith("987655")).toEqual([]);
  });

  test("is an error for one that runs away with its output", async () => {
    const result = await shell("yes");
    expect(result).toMatchObject({ kind: "error", message: expect.stringContaining("it wrote more than 16777216 bytes") });
    expect(JSON.stringify(result).length).toBeLessThan(200_000);
  });

  test("is an error when the run ends meanwhile, or ended before", async () => {
    const over = new AbortController();
    const result = shell("echo begun; sleep 987656", "read_write", {}, over.signal);
    over.abort();
    expect(await result).toMatchObject({ kind: "error", message: expect.stringContaining("the run is over") });
    expect(await shell("echo x", "read_write", {}, over.signal)).toEqual({ kind: "error", message: "The run is over." });
    expect(processesWith("987656")).toEqual([]);
  });

  test("is nothing that waits for input", async () => {
    expect(await shell("cat; read -r x || echo closed")).toEqual({ kind: "text", text: "closed\n" });
  });
});

describe.skipIf(bubblewrap === undefined)("an agent that may write", () => {
  test("writes to the workspace, and nowhere else", async () => {
    const beside = tempDirectory();
    const result = await shell(`echo a >a.txt; echo b >'${beside}/b.txt'; touch /etc/c; mkdir /opt/d; ls`);
    expect(result).toMatchObject({ kind: "text", text: expect.stringMatching(/a\.txt\n$/) });
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("a\n");
    expect([join(beside, "b.txt"), "/etc/c", "/opt/d"].filter(existsSync)).toEqual([]);
  });
});

describe.skipIf(bubblewrap === undefined)("an agent that may only read", () => {
  test("is told why a line is refused, and nothing of it runs", async () => {
    expect(await shell("echo a; echo b > c.txt", "read_only")).toEqual({
      kind: "error",
      message:
        "shell: refused, since this agent may only read: >c.txt: output may be thrown away (>/dev/null, 2>&1) and is not written to files",
    });
    expect(existsSync(join(workspace, "c.txt"))).toBe(false);
  });

  test("sees the repository as git shows it, in a checkout and in a linked worktree", async () => {
    workspace = freshRepository();
    writeIn(workspace, "a.txt", "one\n");
    commitAll(workspace, "first");
    writeIn(workspace, "b.txt", "two\n");
    const line = "git status --short && git log --format=%s && git branch && cd sub 2>/dev/null";
    expect(await shell(line, "read_only")).toMatchObject({ message: expect.stringContaining("?? b.txt\nfirst\n* main\n") });
    const linked = join(tempDirectory(), "linked");
    git(workspace, "worktree", "add", "-q", "-b", "side", linked);
    writeIn(linked, "a.txt", "changed\n");
    workspace = linked;
    expect(await shell("git status --short && git branch --show-current && git diff --stat", "read_only")).toEqual({
      kind: "text",
      text: " M a.txt\nside\n a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
    });
  });

  test("sees remotes and what branches follow, without the passwords in their addresses", async () => {
    workspace = freshRepository();
    commitAll(workspace, "first");
    addRemote(workspace);
    commitAll(workspace, "second");
    git(workspace, "branch", "-q", "--set-upstream-to=origin/main");
    git(workspace, "remote", "add", "other", "https://user:pass@example.com/x.git");
    git(workspace, "config", "remote.other.uploadpack", "touch fresh");
    const result = await shell("git status -sb && git log --format=%s @{u}.. && git remote -v", "read_only");
    expect(result).toMatchObject({ text: expect.stringMatching(/^## main\.\.\.origin\/main \[ahead 1\]\nsecond\norigin\t/) });
    expect(result).toMatchObject({ text: expect.stringContaining("other\thttps://example.com/x.git (fetch)") });
  });

  test("sees a repository of the other format of ids", async () => {
    git(workspace, "init", "-q", "--object-format=sha256", "-b", "main");
    writeIn(workspace, "a.txt", "one\n");
    commitAll(workspace, "first");
    expect(await shell("git status --short && git log --format=%s", "read_only")).toEqual({ kind: "text", text: "first\n" });
  });

  test("is told that there is no repository, where there is none", async () => {
    expect(await shell("git status", "read_only")).toMatchObject({ message: expect.stringContaining("not a git repository") });
  });

  test("reads nothing outside through a link, also where a pattern or a change of directory leads there", async () => {
    const outside = tempDirectory();
    writeFileSync(join(outside, "secret.txt"), "a secret\n");
    mkdirSync(join(workspace, "src"));
    symlinkSync(outside, join(workspace, "out"));
    symlinkSync(join(outside, "secret.txt"), join(workspace, "src/secret.txt"));
    for (const line of [
      "cat out/secret.txt",
      "cat out/*",
      "cat src/secret.txt",
      "cd out && cat secret.txt",
      "cat < src/secret.txt",
    ]) {
      expect(await shell(line, "read_only")).toMatchObject({ message: expect.stringContaining("leads out of the workspace") });
    }
    expect(await shell("cd src && grep -f secret.txt x", "read_only")).toMatchObject({ kind: "error" });
  });

  test("runs no program of the workspace, though the search path leads there", async () => {
    writeIn(workspace, "bin/ls", "#!/bin/sh\necho evil\n");
    chmodSync(join(workspace, "bin/ls"), 0o755);
    if (bubblewrap === undefined) throw new Error("these tests need bubblewrap");
    const path = [join(workspace, "bin"), "bin", ".", "", env.PATH].join(":");
    const tools = openTools({ workspace, authority: "read_only", enclosure: bubblewrap, env: { ...env, PATH: path } });
    expect(await callTool(tools, "shell", { command: "ls; command -v ls" })).toMatchObject({
      text: expect.not.stringContaining("evil"),
    });
  });
});
