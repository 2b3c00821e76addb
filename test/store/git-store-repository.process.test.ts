import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openGit } from "../../src/git/open-git.ts";
import { JOB_FILE_BYTES_MAX } from "../../src/job/limits.ts";
import { type JobStore, type Step, transactOne } from "../../src/store/job-store.ts";
import { cloneBytes } from "../support/clone-bytes.ts";
import { dueJob } from "../support/due-job.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { expectStraightLine } from "../support/git-arena.ts";
import { gitStore, storeIn } from "../support/git-fleet.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { commitAll, freshRepository, writeIn } from "../support/git-repository.ts";
import { jobText, TRAIN } from "../support/job-builder.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { writeScript } from "../support/script.ts";
import { tempDirectory } from "../support/temp-directory.ts";

function raiseTokens(store: JobStore, jobId = TRAIN): Promise<number> {
  return transactOne(store, jobId, ({ job }): Step<number> => {
    if (job === undefined) return { answer: 0, write: { job: dueJob(jobId), note: `create ${jobId}` } };
    const tokens_used = job.tokens_used + 1;
    return { answer: tokens_used, write: { job: { ...job, tokens_used }, note: `MOVED ${jobId}` } };
  });
}

describe("a jobs directory that git would treat otherwise than plumbing does is refused by name, and nothing is pushed", () => {
  const LFS = "wake_jobs/*.json filter=lfs diff=lfs merge=lfs -text\n";
  const arrangements: Readonly<Record<string, readonly [(clone: string) => void, RegExp]>> = {
    "a submodule": [
      (clone) => {
        git(clone, "init", "-q", "wake_jobs");
        commitAll(join(clone, "wake_jobs"));
      },
      /wake_jobs: is a submodule/,
    ],
    "a symbolic link": [(clone) => symlinkSync("elsewhere", join(clone, "wake_jobs")), /wake_jobs: is a symbolic link/],
    "a link out of the repository": [(clone) => symlinkSync("/etc", join(clone, "wake_jobs")), /wake_jobs: is a symbolic link/],
    "a file": [(clone) => writeIn(clone, "wake_jobs", "text\n"), /wake_jobs: is a file/],
    "under Git LFS": [(clone) => writeIn(clone, ".gitattributes", LFS), /filter=lfs/],
    "under a filter of its own": [
      (clone) => writeIn(clone, "wake_jobs/.gitattributes", "* filter=git-crypt\n"),
      /filter=git-crypt/,
    ],
    "under a filter by a macro": [
      (clone) => writeIn(clone, ".gitattributes", "[attr]secret filter=transcrypt\n*.json secret\n"),
      /filter=transcrypt/,
    ],
    "in another encoding": [
      (clone) => writeIn(clone, ".gitattributes", "*.json working-tree-encoding=UTF-16LE\n"),
      /working-tree-encoding=UTF-16LE/,
    ],
  };
  test.each(Object.entries(arrangements))("%s", async (_what, [arrange, told]) => {
    const remote = new GitRemote({ "README.md": "A fleet.\n" });
    const clone = remote.clone();
    arrange(clone);
    commitAll(clone);
    git(clone, "push", "-q", "origin", "main");
    const head = remote.head();
    for (const act of [() => raiseTokens(storeIn(clone)), () => storeIn(clone).scan(), () => storeIn(clone).read(TRAIN)]) {
      expect(await jobErrorFrom(act)).toMatchObject({ code: "CONFIG", message: expect.stringMatching(told) });
    }
    expect(remote.head()).toBe(head);
  });

  test("under a filter of the user's own", async () => {
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    const clone = remote.clone();
    writeFileSync(join(clone, ".git/info/attributes"), "*.json filter=nbstripout\n");
    expect(await jobErrorFrom(() => raiseTokens(storeIn(clone)))).toMatchObject({ code: "CONFIG" });
  });

  test("one job under a filter is refused, and the others go on", async () => {
    const other = "harbor-other-0001";
    const remote = new GitRemote({
      ...jobFiles([dueJob(TRAIN), dueJob(other)]),
      ".gitattributes": "*.psd filter=lfs\nwake_jobs/harbor-train-* filter=lfs\n",
    });
    const store = storeIn(remote.clone());
    expect(await jobErrorFrom(() => raiseTokens(store))).toMatchObject({ code: "CONFIG", file: `wake_jobs/${TRAIN}.json` });
    expect(await raiseTokens(store, other)).toBe(1);
    expect([...(await store.scan())].map(({ job, error }) => job?.job_id ?? error?.code)).toEqual([other, "CONFIG"]);
    expect(await jobErrorFrom(() => raiseTokens(store, "harbor-train-0002"))).toMatchObject({ code: "CONFIG" });
  });

  test.each(["* text=auto\n", "*.psd filter=lfs\n", "*.json -filter eol=lf\n", "*.json ident diff=json\n"])(
    "but attributes that leave job files as they are (%s) are no matter",
    async (attributes) => {
      const remote = new GitRemote({ ...jobFiles([dueJob(TRAIN)]), ".gitattributes": attributes });
      expect(await raiseTokens(storeIn(remote.clone()))).toBe(1);
    },
  );

  test("they are looked at without touching the clone", async () => {
    const remote = new GitRemote({ ...jobFiles([dueJob(TRAIN)]), ".gitattributes": "*.psd filter=lfs\n" });
    const clone = remote.clone();
    const before = cloneBytes(clone);
    await raiseTokens(storeIn(clone));
    expect(cloneBytes(clone)).toEqual(before);
  });
});

describe("repositories of every kind", () => {
  test("of SHA-256: a claim on the default branch, and a branch made anew", async () => {
    const origin = tempDirectory();
    git(origin, "init", "-q", "--bare", "-b", "main", "--object-format=sha256");
    const clone = tempDirectory();
    git(clone, "init", "-q", "-b", "main", "--object-format=sha256");
    git(clone, "remote", "add", "origin", origin);
    writeIn(clone, `wake_jobs/${TRAIN}.json`, jobText());
    commitAll(clone);
    git(clone, "push", "-q", "origin", "main");
    expect(await raiseTokens(storeIn(clone))).toBe(1);
    expect(await raiseTokens(storeIn(clone, { branch: "wake-state", newBranch: true }))).toBe(0);
    expect(git(origin, "rev-parse", "wake-state")).toHaveLength(64);
    expect([...(await storeIn(clone, { branch: "wake-state" }).scan())]).toHaveLength(1);
  });

  describe("partial clones", () => {
    /** How often the clone asks its remote for objects or refs from now on; every call from `failFrom` on is refused. */
    function counted(clone: string, failFrom = 1_000) {
      const log = join(tempDirectory(), "calls");
      writeFileSync(log, "");
      const count = `echo call >> ${log}; [ $(wc -l < ${log}) -lt ${failFrom} ] || { echo 'no route' >&2; exit 1; }`;
      git(
        clone,
        "config",
        "remote.origin.uploadpack",
        writeScript(join(tempDirectory(), "up"), `${count}\nexec git-upload-pack "$@"`),
      );
      return { calls: () => readFileSync(log, "utf8").split("\n").length - 1 };
    }

    const jobIds = Array.from({ length: 120 }, (_, i) => `harbor-part-${String(i).padStart(4, "0")}`);

    function partialClone(filter: string) {
      const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
      remote.git("config", "uploadpack.allowAnySHA1InWant", "true");
      return { remote, clone: remote.clone("--no-checkout", "--depth", "1", `--filter=${filter}`) };
    }

    test("fetch the files that they lack in one go", async () => {
      const { remote, clone } = partialClone("blob:none");
      const { calls } = counted(clone);
      const store = storeIn(clone);
      expect([...(await store.scan())].flatMap(({ job }) => job?.job_id ?? [])).toEqual(jobIds);
      expect(calls()).toBeLessThanOrEqual(2);
      expect(await raiseTokens(store, jobIds[7])).toBe(1);
      expect(remote.job(jobIds[7] ?? "").tokens_used).toBe(1);
    });

    test.each([2, 3, 4])("of trees, whose remote is away from its call %s on, give no answer that is wrong", async (failFrom) => {
      const { remote, clone } = partialClone("tree:0");
      remote.commit({ "note.md": "something new\n" });
      counted(clone, failFrom);
      const head = remote.head();
      const asked = [() => storeIn(clone).scan(), () => storeIn(clone).read(TRAIN), () => raiseTokens(storeIn(clone))];
      for (const act of asked) expect(["IO", "REMOTE_UNAVAILABLE"]).toContain((await jobErrorFrom(act)).code);
      expect(remote.head()).toBe(head);
      counted(clone);
      expect(await raiseTokens(storeIn(clone), jobIds[0])).toBe(1);
    });
  });

  test.each([
    ["is missing", (path: string) => rmSync(path)],
    ["is garbage", (path: string) => writeFileSync(path, "garbage")],
  ])("with an object that %s: an error, and nothing is pushed", async (_what, breakIt) => {
    const other = "harbor-other-0001";
    const remote = new GitRemote(jobFiles([dueJob(TRAIN, { tokens_used: 7 }), dueJob(other)]));
    const clone = freshRepository();
    git(clone, "remote", "add", "origin", remote.url);
    git(clone, "-c", "fetch.unpackLimit=1000", "fetch", "-q", "origin");
    const id = git(clone, "rev-parse", `origin/main:wake_jobs/${TRAIN}.json`);
    const path = join(clone, ".git/objects", id.slice(0, 2), id.slice(2));
    chmodSync(path, 0o644);
    breakIt(path);
    const head = remote.head();
    expect(await jobErrorFrom(() => raiseTokens(storeIn(clone)))).toMatchObject({ code: "IO" });
    expect(remote.head()).toBe(head);
    expect(await raiseTokens(storeIn(clone), other)).toBe(1);
  });
});

describe("git.sign", () => {
  function keyed(clone: string): void {
    const key = join(tempDirectory(), "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    for (const [name, value] of [
      ["gpg.format", "ssh"],
      ["user.signingKey", `${key}.pub`],
      ["user.name", "Owner"],
      ["user.email", "owner@example.net"],
    ] as const) {
      git(clone, "config", name, value);
    }
  }

  test("signs each commit with the user's key, and the committer is the user", async () => {
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    const clone = remote.clone();
    keyed(clone);
    remote.hook(
      "pre-receive",
      "while read old new ref; do git cat-file commit $new | grep -q ^gpgsig || { echo 'Commits must have verified signatures' >&2; exit 1; }; done",
    );
    expect(await raiseTokens(storeIn(clone, { sign: true }))).toBe(1);
    const commit = remote.git("cat-file", "commit", "main");
    expect(commit).toMatch(/^author harness-wake <harness-wake@example\.net> .*\ncommitter Owner <owner@example\.net>/m);
    expect(commit).toMatch(/\n\nharness-wake: MOVED harbor-train-0001 \[skip ci\]\n/);
    expect(remote.job(TRAIN).tokens_used).toBe(1);
    expectStraightLine(remote);
  });

  test("where no key can sign: an error that says so, and nothing is pushed", async () => {
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    const clone = remote.clone();
    keyed(clone);
    git(clone, "config", "user.signingKey", "/nonexistent/key.pub");
    const head = remote.head();
    expect(await jobErrorFrom(() => raiseTokens(storeIn(clone, { sign: true })))).toMatchObject({
      code: "CONFIG",
      message: expect.stringContaining("git.sign"),
    });
    expect(remote.head()).toBe(head);
  });

  test("is off where the user signs everything else", async () => {
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    const clone = remote.clone();
    for (const name of ["commit.gpgSign", "tag.gpgSign", "push.gpgSign"]) git(clone, "config", name, "true");
    expect(await raiseTokens(storeIn(clone))).toBe(1);
    expect(remote.git("cat-file", "commit", "main")).not.toContain("gpgsig");
  });
});

describe("files of any size", () => {
  test("a job of more than 4 MiB in the commit is told without being read, and stops no other", async () => {
    const remote = new GitRemote({
      ...jobFiles([dueJob(TRAIN)]),
      "wake_jobs/harbor-large-0001.json": jobText({ job_id: "harbor-large-0001", bulk: "x".repeat(JOB_FILE_BYTES_MAX) }),
    });
    const store = storeIn(remote.clone());
    const entries = [...(await store.scan())];
    expect(entries.map(({ job, error }) => job?.job_id ?? error?.code)).toEqual(["TOO_LARGE", TRAIN]);
    expect(await jobErrorFrom(() => raiseTokens(store, "harbor-large-0001"))).toMatchObject({ code: "TOO_LARGE" });
    expect(await raiseTokens(store)).toBe(1);
  });

  test("more than is held at once goes in several commits, in order, each job once", async () => {
    const jobIds = Array.from({ length: 20 }, (_, i) => `harbor-bulk-${String(i).padStart(4, "0")}`);
    const bulk = "x".repeat(JOB_FILE_BYTES_MAX - 100_000);
    const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId, { bulk }))));
    const store = storeIn(remote.clone());
    const outcomes = await store.transact(jobIds, ({ job }): Step<string> => {
      if (job === undefined) return { answer: "no such job" };
      return { answer: "moved", write: { job: { ...job, tokens_used: job.tokens_used + 1 }, note: `MOVED ${job.job_id}` } };
    });
    expect([...outcomes]).toEqual(jobIds.map((jobId) => [jobId, { answer: "moved" }]));
    expect(remote.history()).toHaveLength(4);
    expect([...(await store.scan())].map(({ job }) => [job?.job_id, job?.tokens_used])).toEqual(
      jobIds.map((jobId) => [jobId, 1]),
    );
    expectStraightLine(remote);
  });
});

test("what the user's environment says to git is heard: a relocated git, settings by GIT_CONFIG_COUNT, a proxy command", async () => {
  const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
  const clone = remote.clone();
  git(clone, "remote", "set-url", "origin", "https://forge.invalid/o/r.git");
  const env = {
    ...GIT_ENV,
    GIT_EXEC_PATH: execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(),
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: `url.${remote.url}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://forge.invalid/o/r.git",
    GIT_CONFIG_KEY_1: "credential.helper",
    GIT_CONFIG_VALUE_1: "!f(){ echo password=x; };f",
  };
  expect(await raiseTokens(gitStore(openGit({ directory: clone, env })))).toBe(1);
  const without = openGit({ directory: clone, env, withoutConfigEnvironment: true });
  expect((await without.run(["config", "--get-all", "credential.helper"])).exit_code).toBe(1);
});
