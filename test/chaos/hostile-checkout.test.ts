import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JobError } from "../../src/errors/job-error.ts";
import { openGit } from "../../src/git/open-git.ts";
import { GitHeadPages } from "../../src/pages/git-head-pages.ts";
import { type Step, transactOne } from "../../src/store/job-store.ts";
import { dueJob } from "../support/due-job.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { gitStore } from "../support/git-fleet.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { commitAll, writeIn } from "../support/git-repository.ts";
import { TRAIN } from "../support/job-builder.ts";
import { writeScript } from "../support/script.ts";
import { tempDirectory } from "../support/temp-directory.ts";

/** A checkout under attack. Whatever runs of it touches the marker. */
interface Scene {
  readonly clone: string;
  readonly remote: GitRemote;
  /** A shell command that leaves the marker. */
  readonly mark: string;
  /** A program that leaves the marker and fails. */
  readonly trap: string;
}

/** What a trick leaves for us to look at: where git runs, and what of the environment it has set. */
interface Set {
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string>>;
}

type Trick = (scene: Scene) => Set | undefined;

/** A directory with all that makes a bare repository, and settings that run things. */
function bareRepositoryIn({ clone, mark }: Scene, path: string, config = ""): string {
  for (const part of ["objects", "refs"]) writeIn(clone, `${path}/${part}/.keep`, "");
  writeIn(clone, `${path}/HEAD`, "ref: refs/heads/main\n");
  const remote = `[remote "origin"]\n  url = /nowhere\n  uploadpack = "${mark}; false"\n  receivepack = "${mark}; false"\n`;
  writeIn(clone, `${path}/config`, `[core]\n  repositoryformatversion = 0\n  bare = true\n${remote}${config}`);
  return join(clone, path);
}

/** A hook of the clone's own. */
const hook =
  (name: string): Trick =>
  ({ clone, trap }) => {
    symlinkSync(trap, join(clone, ".git/hooks", name));
    return undefined;
  };

/** A setting of the clone's own that names a program. */
const setting =
  (name: string, value = (scene: Scene): string => scene.trap): Trick =>
  (scene) => {
    git(scene.clone, "config", name, value(scene));
    return undefined;
  };

/** A variable that names a program for people. */
const variable =
  (...names: readonly string[]): Trick =>
  ({ trap }) => ({ env: Object.fromEntries(names.map((name) => [name, trap])) });

const shell = ({ mark }: Scene): string => `sh -c '${mark}'`;

/** Puts a program called git into the checkout, and a search path before the usual one. */
const pathWith =
  (path: string, place = path): Trick =>
  ({ clone, trap }) => {
    mkdirSync(join(clone, place), { recursive: true });
    symlinkSync(trap, join(clone, place, "git"));
    return { env: { PATH: `${path}:${process.env["PATH"]}` } };
  };

const tricks: Readonly<Record<string, Trick>> = {
  "hook post-checkout": hook("post-checkout"),
  "hook reference-transaction": hook("reference-transaction"),
  "hook pre-push": hook("pre-push"),
  "hook pre-commit": hook("pre-commit"),
  "hook post-commit": hook("post-commit"),
  "hook post-index-change": hook("post-index-change"),
  "hook pre-auto-gc": hook("pre-auto-gc"),
  "hook fsmonitor-watchman": hook("fsmonitor-watchman"),
  "hook push-to-checkout": hook("push-to-checkout"),
  "hooks in the tree, by core.hooksPath": (scene) => {
    for (const name of ["reference-transaction", "pre-push"]) {
      mkdirSync(join(scene.clone, "hooks"), { recursive: true });
      symlinkSync(scene.trap, join(scene.clone, "hooks", name));
    }
    return setting("core.hooksPath", () => "hooks")(scene);
  },
  "hooks by an included file of the tree": (scene) => {
    mkdirSync(join(scene.clone, "hooks"));
    symlinkSync(scene.trap, join(scene.clone, "hooks/reference-transaction"));
    writeIn(
      scene.clone,
      "shared.gitconfig",
      `[core]\n  hooksPath = ${join(scene.clone, "hooks")}\n  fsmonitor = ${scene.trap}\n`,
    );
    return setting("include.path", () => "../shared.gitconfig")(scene);
  },
  "core.fsmonitor": setting("core.fsmonitor"),
  "core.editor": setting("core.editor"),
  "core.pager": setting("core.pager"),
  "pager of each command": (scene) => {
    for (const command of ["ls-remote", "config", "remote", "cat-file", "push"]) setting(`pager.${command}`)(scene);
    return undefined;
  },
  "sequence.editor": setting("sequence.editor"),
  "diff.external": setting("diff.external"),
  "an alias of a command's name": (scene) => {
    for (const command of ["fetch", "push", "cat-file", "fast-import"]) setting(`alias.${command}`, (s) => `!${s.mark}`)(scene);
    return undefined;
  },
  "gpg.program, with everything signed": (scene) => {
    for (const name of ["commit.gpgSign", "tag.gpgSign", "push.gpgSign"]) git(scene.clone, "config", name, "true");
    return setting("gpg.program")(scene);
  },
  "gc that is always due": (scene) => {
    for (const [name, value] of [
      ["gc.auto", "1"],
      ["gc.recentObjectsHook", scene.trap],
      ["maintenance.auto", "true"],
      ["maintenance.strategy", "incremental"],
    ] as const) {
      git(scene.clone, "config", name, value);
    }
    return hook("pre-auto-gc")(scene);
  },
  "a textconv and merge driver by attributes": (scene) => {
    writeIn(scene.clone, ".gitattributes", "p/* diff=evil merge=evil\n");
    setting("diff.evil.textconv")(scene);
    return setting("merge.evil.driver")(scene);
  },
  "a filter by attributes": (scene) => {
    writeIn(scene.clone, ".gitattributes", "*.md filter=evil\n");
    for (const part of ["clean", "smudge", "process"]) setting(`filter.evil.${part}`)(scene);
    return undefined;
  },
  "an ext:: address": (scene) => {
    git(scene.clone, "config", "protocol.ext.allow", "always");
    return setting("remote.origin.url", (s) => `ext::${shell(s)}`)(scene);
  },
  "an ext:: address under protocol.allow": (scene) => {
    git(scene.clone, "config", "protocol.allow", "always");
    return setting("remote.origin.url", (s) => `ext::${shell(s)}`)(scene);
  },
  "an ext:: address to push to": (scene) => {
    git(scene.clone, "config", "protocol.ext.allow", "always");
    return setting("remote.origin.pushurl", (s) => `ext::${shell(s)}`)(scene);
  },
  "an address that is an option": setting("remote.origin.url", ({ trap }) => `--upload-pack=${trap}`),
  "an ssh address that is an option": setting("remote.origin.url", ({ mark }) => `ssh://-oProxyCommand=${mark}/x`),
  "a submodule with an update command": (scene) => {
    writeIn(scene.clone, ".gitmodules", `[submodule "x"]\n  path = x\n  url = ./x\n  update = !${scene.mark}\n`);
    git(scene.clone, "config", "submodule.x.update", `!${scene.mark}`);
    git(scene.clone, "config", "submodule.recurse", "true");
    git(scene.clone, "config", "fetch.recurseSubmodules", "true");
    git(scene.clone, "config", "push.recurseSubmodules", "on-demand");
    return undefined;
  },
  "a trailer command": (scene) => {
    git(scene.clone, "config", "trailer.x.key", "Nonce");
    return setting("trailer.x.command")(scene);
  },
  "a git directory that is told to have its configuration elsewhere": (scene) => {
    writeIn(scene.clone, ".git/commondir", bareRepositoryIn(scene, "evil"));
    return undefined;
  },
  "an interactive diff filter": setting("interactive.diffFilter"),
  "a browser, a mergetool and a difftool": (scene) => {
    for (const name of ["browser.x.cmd", "mergetool.x.cmd", "difftool.x.cmd"]) setting(name)(scene);
    return undefined;
  },
  "wake_jobs that is a bare repository": (scene) => ({ directory: bareRepositoryIn(scene, "wake_jobs") }),
  "wake_jobs that is a bare repository with fsmonitor": (scene) => ({
    directory: bareRepositoryIn(scene, "wake_jobs", `[core]\n  fsmonitor = "${scene.mark}"\n`),
  }),
  "a directory above the jobs that is a bare repository": (scene) => {
    bareRepositoryIn(scene, "state");
    mkdirSync(join(scene.clone, "state/wake_jobs"));
    return { directory: join(scene.clone, "state/wake_jobs") };
  },
  "a bare repository called .git.evil beside the true one": (scene) => ({ directory: bareRepositoryIn(scene, ".git.evil") }),
  "a bare repository whose objects fetch themselves": (scene) => ({
    directory: bareRepositoryIn(
      scene,
      "wake_jobs",
      '[extensions]\n  partialClone = origin\n[remote "origin"]\n  promisor = true\n',
    ),
  }),
  "a bare repository as the remote that is named": (scene) => {
    bareRepositoryIn(scene, "evil");
    return { env: { HOSTILE_REMOTE: "./evil" } };
  },
  "a bare repository by GIT_DIR": (scene) => ({ env: { GIT_DIR: bareRepositoryIn(scene, "evil") } }),
  "a bare repository by GIT_COMMON_DIR": (scene) => ({ env: { GIT_COMMON_DIR: bareRepositoryIn(scene, "evil") } }),
  "objects by GIT_ALTERNATE_OBJECT_DIRECTORIES": (scene) => ({
    env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(bareRepositoryIn(scene, "evil"), "objects") },
  }),
  "a config by GIT_CONFIG": (scene) => ({ env: { GIT_CONFIG: join(bareRepositoryIn(scene, "evil"), "config") } }),
  "programs for people": variable("GIT_EDITOR", "EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "PAGER"),
  "a program for diffs": variable("GIT_EXTERNAL_DIFF"),
  "a git on the path .": pathWith("."),
  "a git on an empty part of the path": pathWith("", "."),
  "a git on the path node_modules/.bin": pathWith("node_modules/.bin"),
  "a git on the path ./bin": pathWith("./bin", "bin"),
  "git's programs by a relative GIT_EXEC_PATH": ({ clone, trap }) => {
    for (const name of ["git-remote-https", "git-fetch-pack", "git-upload-pack", "git-receive-pack"]) {
      mkdirSync(join(clone, "libexec"), { recursive: true });
      symlinkSync(trap, join(clone, "libexec", name));
    }
    return { env: { GIT_EXEC_PATH: "libexec" } };
  },
  "server programs on a relative path": ({ clone, trap }) => {
    mkdirSync(join(clone, "bin"));
    for (const name of ["git-upload-pack", "git-receive-pack", "ssh", "sh"]) symlinkSync(trap, join(clone, "bin", name));
    return { env: { PATH: `bin:${process.env["PATH"]}` } };
  },
};

/** Everything that the program does with git in a checkout, each as if it were the first. */
async function useEverything(scene: Scene, { directory = scene.clone, env = {} }: Set): Promise<readonly string[]> {
  const { HOSTILE_REMOTE: remote = "origin", ...rest } = env;
  const open = () => openGit({ directory, env: { ...GIT_ENV, ...rest }, timeouts: { silenceMs: 10_000 } });
  const acts: readonly (() => Promise<unknown>)[] = [
    async () => [...(await gitStore(open(), { remote }).scan())],
    () => gitStore(open(), { remote }).read(TRAIN),
    () =>
      transactOne(gitStore(open(), { remote }), TRAIN, ({ job }): Step<void> => {
        if (job === undefined) return { answer: undefined };
        return { answer: undefined, write: { job: { ...job, tokens_used: job.tokens_used + 1 }, note: "MOVED" } };
      }),
    async () => (await new GitHeadPages({ git: open(), remote, pagesDirectory: "p" }).atHead()).states([TRAIN]),
  ];
  const ends: string[] = [];
  for (const act of acts) {
    try {
      await act();
      ends.push("done");
    } catch (error) {
      // An attack may make a call fail, with an error that says what is wrong; it must not make it run something.
      if (!(error instanceof JobError)) throw error;
      ends.push(error.code);
    }
  }
  return ends;
}

function sceneOf(): Scene & { readonly marker: string } {
  const place = tempDirectory();
  const marker = join(place, "ran");
  const mark = `touch ${marker}`;
  const remote = new GitRemote({ ...jobFiles([dueJob(TRAIN)]), [`p/${TRAIN}.md`]: "the result\n" });
  const clone = remote.clone();
  const trap = writeScript(join(place, "trap"), `${mark}\nexit 1`);
  return { clone, remote, mark, trap, marker };
}

describe("nothing that a checkout brings along runs", () => {
  test("the marker would tell", async () => {
    const scene = sceneOf();
    git(scene.clone, "config", "remote.origin.uploadpack", `${scene.mark}; git-upload-pack`);
    await useEverything(scene, {});
    expect(existsSync(scene.marker)).toBe(true);
  });

  test("there are at least forty tricks", () => expect(Object.keys(tricks).length).toBeGreaterThanOrEqual(40));

  test.each(Object.entries(tricks))("%s", async (_what, trick) => {
    const scene = sceneOf();
    const set = trick(scene) ?? {};
    const ends = await useEverything(scene, set);
    expect([existsSync(scene.marker), ends.length]).toEqual([false, 4]);
  });
});

describe("what plain git would do without a trick is done all the same", () => {
  test.each([
    "hook pre-push",
    "a git directory that is told to have its configuration elsewhere",
    "core.fsmonitor",
    "core.editor",
    "a git on the path .",
    "gpg.program, with everything signed",
  ])("under %s", async (name) => {
    const scene = sceneOf();
    const set = tricks[name]?.(scene) ?? {};
    expect(await useEverything(scene, set)).toEqual(["done", "done", "done", "done"]);
    expect(scene.remote.job(TRAIN).tokens_used).toBe(1);
  });
});

describe("nothing in a clone stands in for what the remote holds", () => {
  const page = async (clone: string) =>
    (
      await (
        await new GitHeadPages({ git: openGit({ directory: clone, env: GIT_ENV }), pagesDirectory: "p" }).atHead()
      ).states(["harbor-forged-0001"])
    ).get("harbor-forged-0001");

  function forged(clone: string): { readonly head: string; readonly forgery: string } {
    const head = git(clone, "rev-parse", "origin/main");
    writeIn(clone, "p/harbor-forged-0001.md", "Forged.\n");
    commitAll(clone);
    return { head, forgery: git(clone, "rev-parse", "HEAD") };
  }

  test.each<[string, (clone: string, names: { head: string; forgery: string }) => void]>([
    ["a replaced commit", (clone, { head, forgery }) => git(clone, "replace", head, forgery)],
    [
      "a replaced tree",
      (clone, { head, forgery }) => git(clone, "replace", `${head}^{tree}`, git(clone, "rev-parse", `${forgery}^{tree}`)),
    ],
    ["a graft", (clone, { head, forgery }) => writeIn(clone, ".git/info/grafts", `${head} ${forgery}\n`)],
    ["a moved remote-tracking ref", (clone, { forgery }) => git(clone, "update-ref", "refs/remotes/origin/main", forgery)],
    ["a local branch of the name", (clone, { forgery }) => git(clone, "branch", "-f", "origin/main", forgery)],
    ["a tag of the name", (clone, { forgery }) => git(clone, "tag", "main", forgery)],
  ])("%s", async (_what, forge) => {
    const { clone } = sceneOf();
    forge(clone, forged(clone));
    expect(await page(clone)).toBe("absent");
  });

  test("a job that only the clone holds is not there, and what is decided on it is not pushed", async () => {
    const { clone, remote } = sceneOf();
    writeIn(clone, "wake_jobs/harbor-forged-0001.json", "{}");
    commitAll(clone);
    const forgery = git(clone, "rev-parse", "HEAD");
    git(clone, "replace", remote.head() ?? "", forgery);
    git(clone, "update-ref", "refs/remotes/origin/main", forgery);
    const store = gitStore(openGit({ directory: clone, env: GIT_ENV }));
    expect([...(await store.scan())].map(({ job_id }) => job_id)).toEqual([TRAIN]);
    expect(await store.read("harbor-forged-0001")).toBeUndefined();
  });
});
