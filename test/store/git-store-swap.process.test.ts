import { describe, expect, test } from "vitest";
import { openGit } from "../../src/git/open-git.ts";
import type { GitJobStore } from "../../src/store/git-job-store.ts";
import { type Found, type Step, transactOne } from "../../src/store/job-store.ts";
import { dueJob } from "../support/due-job.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { expectStraightLine } from "../support/git-arena.ts";
import { gitStore, gitWith, storeIn } from "../support/git-fleet.ts";
import { GitHttpServer } from "../support/git-http-server.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { bareRepository } from "../support/git-repository.ts";
import { TRAIN } from "../support/job-builder.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";

const remoteOf = (...jobIds: readonly string[]): GitRemote => new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));

/** A move that only one can make, as a claim is: the first to come takes the job, whoever finds it taken is told by whom. */
function take(store: GitJobStore, by: string): Promise<string> {
  return transactOne(store, TRAIN, ({ job }: Found): Step<string> => {
    if (job === undefined) return { answer: "no such job" };
    const taken = job.checkpoint["by"];
    if (taken !== undefined) return { answer: `taken by ${String(taken)}` };
    return { answer: "taken by me", write: { job: { ...job, checkpoint: { by } }, note: `TAKEN ${by}` } };
  });
}

const takenAt = (remote: GitRemote, branch = "main"): unknown => remote.job(TRAIN, branch).checkpoint["by"];

describe("a process that lives on decides on what the remote holds now", () => {
  /** A store that has seen the job and is asked again after the remote changed. */
  async function afterChange(change: (remote: GitRemote) => void) {
    const remote = remoteOf(TRAIN);
    const store = storeIn(remote.clone());
    await take(storeIn(remote.clone()), "nobody").catch(() => undefined);
    remote.git("update-ref", "refs/heads/main", remote.git("rev-list", "--max-parents=0", "main"));
    expect(await store.read(TRAIN)).toMatchObject({ job: { job_id: TRAIN } });
    change(remote);
    return { remote, store };
  }

  test("where its default branch was renamed and somebody took the job there: the old one is not made anew", async () => {
    const { remote, store } = await afterChange((renamed) => {
      renamed.git("branch", "-m", "main", "trunk");
      renamed.git("symbolic-ref", "HEAD", "refs/heads/trunk");
    });
    expect(await take(storeIn(remote.clone()), "fresh")).toBe("taken by me");
    expect(await take(store, "old")).toBe("taken by fresh");
    expect(remote.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/trunk");
  });

  test("also when it is only asked", async () => {
    const { remote, store } = await afterChange((renamed) => {
      renamed.git("branch", "-m", "main", "trunk");
      renamed.git("symbolic-ref", "HEAD", "refs/heads/trunk");
    });
    expect(await take(storeIn(remote.clone()), "fresh")).toBe("taken by me");
    expect(await store.read(TRAIN)).toMatchObject({ job: { checkpoint: { by: "fresh" } } });
    expect([...(await store.scan())]).toHaveLength(1);
  });

  test("where the branch was rewound: what its owner took back stays away", async () => {
    const remote = remoteOf(TRAIN);
    const good = remote.head() ?? "";
    remote.commit({ "secret.md": "hunter2\n" });
    const store = storeIn(remote.clone());
    await store.read(TRAIN);
    remote.git("update-ref", "refs/heads/main", good);
    expect(await take(store, "old")).toBe("taken by me");
    expect(remote.text("secret.md")).toBeUndefined();
    expect(remote.git("rev-list", "--count", `${good}..main`)).toBe("1");
  });

  test("where the branch was rewritten from its first commit on", async () => {
    const { remote, store } = await afterChange((rewritten) => {
      const commit = rewritten.git("commit-tree", "-m", "history anew", "main^{tree}");
      rewritten.git("update-ref", "refs/heads/main", commit);
    });
    const root = remote.head() ?? "";
    expect(await take(store, "old")).toBe("taken by me");
    expect(remote.history().map(({ commit }) => commit)).toEqual([remote.head(), root]);
  });

  test.each([undefined, "main"])(
    "where the branch (%s in the config) is gone that is an error that names it, and none is made",
    async (branch) => {
      const remote = remoteOf(TRAIN);
      remote.git("branch", "other", "main");
      const clone = remote.clone();
      const store = storeIn(clone, { branch, newBranch: true });
      await store.read(TRAIN);
      remote.git("update-ref", "-d", "refs/heads/main");
      for (const act of [() => take(store, "old"), () => store.scan(), () => store.read(TRAIN)]) {
        const { code, message } = await jobErrorFrom(act);
        expect([code, message]).toEqual(["REMOTE_UNAVAILABLE", expect.stringContaining(branch ?? "default")]);
      }
      expect(remote.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/other");
    },
  );
});

describe("a branch that config names", () => {
  test.each([
    ["is not there", "mian"],
    ["is only the end of another's name", "state"],
    ["is a tag's name", "v1"],
    ["is a ref beside the branches", "only-a-note"],
  ])("and that %s is an error that names it, and nothing is made", async (_what, branch) => {
    const remote = remoteOf(TRAIN);
    for (const ref of ["refs/heads/wake/state", "refs/tags/v1", "refs/notes/only-a-note", "refs/backup/refs/heads/mian"]) {
      remote.git("update-ref", ref, "main");
    }
    const refs = remote.git("for-each-ref");
    const store = storeIn(remote.clone(), { branch });
    for (const act of [() => take(store, "me"), () => store.scan(), () => store.read(TRAIN)]) {
      expect(await jobErrorFrom(act)).toMatchObject({ code: "CONFIG", message: expect.stringContaining(`"${branch}"`) });
    }
    expect(remote.git("for-each-ref")).toBe(refs);
  });

  test.each(["refs/heads/main", "refs/tags/v1"])(
    "as %s is a whole name, and told so, also where it may be made",
    async (branch) => {
      const remote = remoteOf(TRAIN);
      const store = storeIn(remote.clone(), { branch, newBranch: true });
      expect(await jobErrorFrom(() => store.scan())).toMatchObject({ code: "CONFIG", message: expect.stringContaining(branch) });
      expect(remote.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    },
  );

  test("is made where that is asked for, once", async () => {
    const remote = remoteOf();
    remote.commit({ "README.md": "A fleet.\n" });
    const make = (by: string) =>
      transactOne(storeIn(remote.clone(), { branch: "wake/state", newBranch: true }), TRAIN, ({ job }): Step<string> => {
        return job === undefined ? { answer: "made", write: { job: dueJob(TRAIN), note: `create ${by}` } } : { answer: "there" };
      });
    expect((await Promise.all(["one", "two", "three"].map(make))).sort()).toEqual(["made", "there", "there"]);
    expectStraightLine(remote, "wake/state");
  });

  test("was there, and was deleted: a new process in the same clone tells how to bring it back, and makes none", async () => {
    const remote = remoteOf(TRAIN);
    remote.git("branch", "wake-state", "main");
    const clone = remote.clone();
    expect(await take(storeIn(clone, { branch: "wake-state" }), "me")).toBe("taken by me");
    const head = remote.head("wake-state") ?? "";
    remote.git("update-ref", "-d", "refs/heads/wake-state");
    const error = await jobErrorFrom(() => take(storeIn(clone, { branch: "wake-state", newBranch: true }), "again"));
    expect(error).toMatchObject({ code: "REMOTE_UNAVAILABLE", message: expect.stringContaining("is gone") });
    const [remedy = ""] = /git push \S+ [^\s)]+/.exec(error.message) ?? [];
    git(clone, ...remedy.split(" ").slice(1));
    expect(remote.head("wake-state")).toBe(head);
  });
});

describe("one remote is one repository", () => {
  const setUrl = (clone: string, ...urls: readonly string[]): void => {
    git(clone, "remote", "set-url", "--push", "origin", urls[0] ?? "");
    for (const url of urls.slice(1)) git(clone, "remote", "set-url", "--push", "--add", "origin", url);
  };
  const refused: Readonly<Record<string, (clone: string, remote: GitRemote, fork: string) => void>> = {
    "pushes to another": (clone, _remote, fork) => setUrl(clone, `file://${fork}`),
    "pushes to two": (clone, remote, fork) => setUrl(clone, remote.url, `file://${fork}`),
    "has two addresses": (clone, _remote, fork) => git(clone, "remote", "set-url", "--add", "origin", `file://${fork}`),
    "pushes elsewhere by pushInsteadOf": (clone, remote, fork) =>
      git(clone, "config", `url.file://${fork}.pushInsteadOf`, remote.url),
  };
  test.each(Object.entries(refused))("one that %s is refused by name, and no branch moves", async (_what, arrange) => {
    const remote = remoteOf(TRAIN);
    const [clone, fork] = [remote.clone(), bareRepository()];
    git(clone, "push", "-q", `file://${fork}`, "HEAD:main");
    const heads = [remote.head(), git(fork, "rev-parse", "main")];
    arrange(clone, remote, fork);
    for (const act of [() => take(storeIn(clone), "me"), () => storeIn(clone).scan()]) {
      expect(await jobErrorFrom(act)).toMatchObject({ code: "CONFIG", message: expect.stringContaining('remote "origin"') });
    }
    expect([remote.head(), git(fork, "rev-parse", "main")]).toEqual(heads);
  });

  const taken: Readonly<Record<string, (clone: string, remote: GitRemote) => void>> = {
    "is spelled otherwise": (clone, remote) => setUrl(clone, remote.directory),
    "is named by insteadOf": (clone, remote) => {
      git(clone, "remote", "set-url", "origin", "https://forge.invalid/o/fleet.git");
      git(clone, "config", `url.${remote.url}.insteadOf`, "https://forge.invalid/o/fleet.git");
    },
  };
  test.each(Object.entries(taken))("one whose push address %s is taken", async (_what, arrange) => {
    const remote = remoteOf(TRAIN);
    const clone = remote.clone();
    arrange(clone, remote);
    expect(await take(storeIn(clone), "me")).toBe("taken by me");
    expect(takenAt(remote)).toBe("me");
  });

  test.each(["../fork", "https://forge.invalid/r.git", "elsewhere"])(
    "%s is no remote's name, though git would take it",
    async (name) => {
      const clone = remoteOf(TRAIN).clone();
      expect(await jobErrorFrom(() => storeIn(clone, { remote: name }).scan())).toMatchObject({
        code: "CONFIG",
        message: expect.stringContaining(name),
      });
    },
  );

  test("no credentials are told of one that is refused", async () => {
    const clone = remoteOf(TRAIN).clone();
    setUrl(clone, "https://robot:s3cret@forge.invalid/r.git");
    expect((await jobErrorFrom(() => storeIn(clone).scan())).message).not.toContain("s3cret");
  });
});

describe("a push whose answer does not come is settled by what the branch holds", () => {
  const QUICK = { silenceMs: 2_000, pushSilenceMs: 500 };

  async function over(remote: GitRemote) {
    const server = await GitHttpServer.over(remote);
    const clone = remote.clone();
    git(clone, "remote", "set-url", "origin", server.url);
    return { server, clone, store: gitStore(openGit({ directory: clone, env: GIT_ENV, timeouts: QUICK })) };
  }

  /** A gate that late pushes wait at. */
  function gate(): { readonly passed: Promise<void>; open(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { passed: promise, open: resolve };
  }

  test("taken after we stopped waiting, before we look: it is ours", async () => {
    const remote = remoteOf(TRAIN);
    await using at = await over(remote).then(({ server, ...rest }) => Object.assign(server, rest));
    at.order("drop_answer", "push", 1);
    expect(await take(at.store, "me")).toBe("taken by me");
    expect([takenAt(remote), remote.moves()]).toEqual(["me", 2]);
  });

  test("taken only while we offer the next one: it is ours, and the next is none", async () => {
    const remote = remoteOf(TRAIN);
    const { server, store } = await over(remote);
    await using _ = server;
    const { passed, open } = gate();
    server.order("late", "push", 1);
    server.whenLate = () => passed;
    let pushes = 0;
    server.onAsked = (errand) => {
      // The second push is asked for: now the first one goes through.
      if (errand === "push" && ++pushes === 2) open();
    };
    expect(await take(store, "me")).toBe("taken by me");
    expect([takenAt(remote), remote.git("rev-list", "--count", "main")]).toEqual(["me", "2"]);
    expectStraightLine(remote);
  });

  test("never answered: an error says that no model may run; a caller that knows itself again finds its win", async () => {
    const remote = remoteOf(TRAIN);
    const { server, store } = await over(remote);
    await using _ = server;
    const { passed, open } = gate();
    server.order("late", "push", 4);
    server.whenLate = () => passed;
    const error = await jobErrorFrom(() => take(store, "me"));
    expect(error).toMatchObject({ code: "REMOTE_UNAVAILABLE", message: expect.stringContaining("Run no model") });
    open();
    await expect.poll(() => takenAt(remote), { timeout: 10_000 }).toBe("me");
    expect(await take(store, "me")).toBe("taken by me");
    expect(remote.git("rev-list", "--count", "main")).toBe("2");
  });

  test("may still be taken when the job is decided otherwise: no answer passes for certain", async () => {
    const remote = remoteOf(TRAIN);
    const { server, store } = await over(remote);
    await using _ = server;
    const { passed, open } = gate();
    server.order("late", "push", 1);
    server.whenLate = () => passed;
    let isOver = false;
    const deciding = transactOne(store, TRAIN, ({ job }): Step<string> => {
      if (job === undefined || isOver) return { answer: "too late" };
      isOver = true;
      return { answer: "taken", write: { job: { ...job, checkpoint: { by: "me" } }, note: "TAKEN" } };
    });
    expect(await jobErrorFrom(() => deciding)).toMatchObject({
      code: "REMOTE_UNAVAILABLE",
      message: expect.stringContaining("may still be taken"),
    });
    open();
  });

  test("sent twice on the way: the second refusal does not hide the win", async () => {
    const remote = remoteOf(TRAIN);
    const { server, store } = await over(remote);
    await using _ = server;
    server.order("doubled", "push", 1);
    expect(await take(store, "me")).toBe("taken by me");
    expect([takenAt(remote), remote.git("rev-list", "--count", "main")]).toEqual(["me", "2"]);
  });

  test("taken, but the branch cannot be asked for: exit 4 by REMOTE_UNAVAILABLE, and no model", async () => {
    const remote = remoteOf(TRAIN);
    const clone = remote.clone();
    remote.hook("post-receive", `mv ${remote.directory}/HEAD ${remote.directory}/HEAD.away; kill -9 $PPID`);
    const error = await jobErrorFrom(() => take(storeIn(clone), "me"));
    expect(error).toMatchObject({ code: "REMOTE_UNAVAILABLE", message: expect.stringContaining("Run no model") });
  });
});

test("the swap costs three processes of git while nobody else pushes", async () => {
  const remote = remoteOf(TRAIN, "harbor-ferry-0001");
  const calls: string[] = [];
  const store = gitStore(gitWith(remote.clone(), (command) => void calls.push(command)));
  await store.read(TRAIN);
  await take(store, "first");
  calls.length = 0;
  await transactOne(store, "harbor-ferry-0001", ({ job }): Step<void> => {
    if (job === undefined) throw new Error("it is gone");
    return { answer: undefined, write: { job: { ...job, tokens_used: 1 }, note: "MOVED" } };
  });
  expect(calls).toEqual(["cat-file", "fast-import", "push"]);
});
