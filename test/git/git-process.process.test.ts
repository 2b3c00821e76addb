import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openGit } from "../../src/git/open-git.ts";
import { GIT_ENV } from "../support/git.ts";
import { freshRepository } from "../support/git-repository.ts";
import { livesIn } from "../support/lives-in.ts";
import { pathWithGit } from "../support/script.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const VERSION = 'case "$*" in *--version*) exec $GIT --version;; esac';

function gitThat(body: string, timeouts = {}) {
  const env = { ...GIT_ENV, PATH: pathWithGit(`${VERSION}\n${body}`) };
  return openGit({ directory: freshRepository(), env, timeouts });
}

describe("a git that says nothing for too long is ended, and named as that", () => {
  test("with everything that it started, also what does not listen", async () => {
    const pids = ["one", "two"].map((name) => join(tempDirectory(), name));
    const git = gitThat(`(trap '' TERM; echo $$; sleep 600) & echo $! > ${pids[0]}; sleep 600 & echo $! > ${pids[1]}; wait`, {
      silenceMs: 300,
    });
    const fetched = await git.run(["fetch"]);
    expect(fetched).toMatchObject({ exit_code: null, broken: "git fetch did not answer within 0.3 s and was ended" });
    await expect.poll(() => pids.map(livesIn)).toEqual([false, false]);
  });

  test("but not while it talks", async () => {
    const git = gitThat("for i in 1 2 3 4 5 6; do echo $i; echo working >&2; sleep 0.2; done", { silenceMs: 900 });
    expect((await git.run(["fetch"])).stdout).toBe("1\n2\n3\n4\n5\n6\n");
  });

  test("however much it talks it is ended at last", async () => {
    const git = gitThat("while :; do echo working >&2; sleep 0.05; done", { totalMs: 500 });
    expect(await git.run(["fetch"])).toMatchObject({ exit_code: null, broken: expect.stringContaining("0.5 s") });
  });

  test("a push is given longer, since hooks run before it is answered", async () => {
    const git = gitThat("sleep 0.6; echo done", { silenceMs: 200, pushSilenceMs: 30_000 });
    expect((await git.run(["push"], { waitsForHooks: true })).stdout).toBe("done\n");
    expect((await git.run(["fetch"])).exit_code).toBeNull();
  });

  test("also where it is asked and answers, and does not end", async () => {
    const git = gitThat('read line; echo "$line"; exec sleep 600', { silenceMs: 300 });
    const dialogue = await git.converse(["cat-file"]);
    dialogue.ask("one\n");
    expect(await dialogue.line()).toBe("one");
    dialogue.ask("two\n");
    expect(await dialogue.line()).toBeUndefined();
    expect(await dialogue.end()).toMatchObject({ exit_code: null, broken: expect.stringContaining("did not answer") });
  });

  test("silence while nobody waits is no silence of git's", async () => {
    const git = gitThat('while read line; do echo "$line"; done', { silenceMs: 200 });
    const dialogue = await git.converse(["cat-file"]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    dialogue.ask("one\n");
    expect(await dialogue.line()).toBe("one");
    expect((await dialogue.end()).exit_code).toBe(0);
  });
});

describe("output has a limit", () => {
  test("what a hook says is kept at its beginning and its end, and the rest is heard and dropped", async () => {
    const git = gitThat('echo first >&2; head -c 30000000 /dev/zero | tr "\\0" x | fold -w 1000 >&2; echo last >&2');
    const { exit_code, stderr } = await git.run(["push"]);
    expect([exit_code, stderr.startsWith("first\n"), stderr.endsWith("last\n")]).toEqual([0, true, true]);
    expect(stderr.length).toBeLessThan(100_000);
  });

  test("what git prints without end ends it", async () => {
    const git = gitThat("exec yes");
    expect(await git.run(["ls-remote"])).toMatchObject({ exit_code: null, broken: expect.stringContaining("printed more than") });
  });

  test("and so does a line without end", async () => {
    const git = gitThat('exec tr "\\0" x < /dev/zero');
    const dialogue = await git.converse(["cat-file"]);
    expect(await dialogue.line()).toBeUndefined();
    expect(await dialogue.end()).toMatchObject({ exit_code: null });
  });
});

test("a git that is killed has no exit code, and nothing that it started stays", async () => {
  const pid = join(tempDirectory(), "pid");
  const killed = await gitThat(`sleep 600 & echo $! > ${pid}; kill -9 $$`).run(["fetch"]);
  expect(killed).toMatchObject({ exit_code: null, broken: "git fetch was killed (SIGKILL)" });
  await expect.poll(() => livesIn(pid)).toBe(false);
});

test("what git leaves in the background after a good end is not waited for, and stays", async () => {
  const pid = join(tempDirectory(), "pid");
  const git = gitThat(`sleep 600 & echo $! > ${pid}; echo done`);
  expect(await git.run(["fetch"])).toMatchObject({ exit_code: 0, stdout: "done\n" });
  expect(livesIn(pid)).toBe(true);
  process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
});

test("no program can ask a person at the terminal", async () => {
  const git = gitThat("(exec < /dev/tty) 2> /dev/null && echo asked || echo none");
  expect((await git.run(["push"])).stdout).toBe("none\n");
});

describe("a git that cannot be used is told with what to do, and runs nothing else", () => {
  const RAN = join(tempDirectory(), "ran");
  const withVersion = (answer: string) =>
    openGit({
      directory: freshRepository(),
      env: { ...GIT_ENV, PATH: pathWithGit(`case "$*" in *--version*) ${answer};; *) touch ${RAN};; esac`) },
    });

  test.each([
    ["too old", "echo git version 2.37.9", /git 2\.37\.9 is too old; install git 2\.38/],
    ["too old", "echo git version 1.9.5", /git 1\.9\.5 is too old/],
    ["silent", "exit 0", /git does not say its version/],
    ["out of memory", "echo fatal: out of memory >&2; exit 128", /out of memory.*git version/],
    ["killed", "kill -9 $$", /git does not say its version/],
    ["something else", "echo hello", /git does not say its version/],
  ])("%s: %s", async (_what, answer, told) => {
    const git = withVersion(answer);
    expect(await git.run(["status"])).toMatchObject({ exit_code: null, broken: expect.stringMatching(told) });
    expect(await (await git.converse(["cat-file"])).end()).toMatchObject({
      exit_code: null,
      broken: expect.stringMatching(told),
    });
    expect(() => readFileSync(RAN)).toThrow();
  });

  test.each(["2.38.0", "2.39.5 (Apple Git-154)", "2.47.1.windows.2", "3.0.0"])("git version %s can be used", async (version) => {
    expect((await withVersion(`echo "git version ${version}"`).run(["status"])).exit_code).toBe(0);
  });

  test("not there", async () => {
    const git = openGit({ directory: freshRepository(), env: { ...GIT_ENV, PATH: "/nonexistent" } });
    expect(await git.run(["status"])).toMatchObject({ broken: expect.stringContaining("git cannot be found; install git 2.38") });
  });

  test("asked for its version once, and again after it failed", async () => {
    const log = join(tempDirectory(), "log");
    const env = { ...GIT_ENV, PATH: pathWithGit(`echo "$*" >> ${log}; [ -e ${log}.good ] || exit 128; exec $GIT "$@"`) };
    const git = openGit({ directory: freshRepository(), env });
    const asked = () => readFileSync(log, "utf8").split("--version").length - 1;
    expect((await git.run(["status"])).exit_code).toBeNull();
    readFileSync(log);
    await openGit({ directory: freshRepository(), env: GIT_ENV }).run(["config", "--file", `${log}.good`, "a.b", "c"]);
    for (let i = 0; i < 3; i++) expect((await git.run(["status"])).exit_code).toBe(0);
    expect(asked()).toBe(2);
  });
});
