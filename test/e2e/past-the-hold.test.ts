import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runInProcess } from "../support/cli-in-process.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { addRemote, cloneOf, commitAll, freshRepository, writeIn } from "../support/git-repository.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet } from "../support/memory-fleet.ts";
import { NOON } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const LIFT = { holds: { CURSOR_QUOTA_HOLD: { enabled: false } } };
const LIFT_FILE = JSON.stringify(LIFT);
const DUE = "harbor-cursor-01";

/** A job of Cursor's that is due, and one that is offered already: neither a tick nor a claim may pass them on. */
const files: Record<string, string> = {};
beforeAll(async () => {
  const fleet = new MemoryFleet();
  fleet.rules = [];
  fleet.put({ harness: "cursor", lease_seconds: 31_536_000 });
  await fleet.tick();
  files[`${TRAIN}.json`] = fleet.text();
  fleet.put({ harness: "cursor" }, DUE);
  files[`${DUE}.json`] = fleet.text(DUE);
});

interface Where {
  /** The fleet's checkout, whose remote is `origin`. */
  readonly fleet: string;
  readonly remote: string;
  /** A repository of the attacker's own, with a lift committed. */
  readonly mine: string;
  /** A copy of the fleet, with a lift committed. */
  readonly copy: string;
}

/** From where, and how, the command line is run. */
interface Run {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** What the local config says besides a lift. */
  readonly local?: object;
}

type Trick = (where: Where) => Run;

let where: Where;

function setUp(config: string, directory = "wake_jobs"): void {
  const fleet = freshRepository();
  writeIn(fleet, "harness-wake.json", config);
  for (const [name, text] of Object.entries(files)) writeIn(fleet, join(directory, name), text);
  commitAll(fleet, "a fleet");
  const mine = freshRepository();
  writeIn(mine, "harness-wake.json", LIFT_FILE);
  commitAll(mine, "a lift");
  const remote = addRemote(fleet);
  const copy = cloneOf(remote);
  writeIn(copy, "harness-wake.json", JSON.stringify({ ...JSON.parse(config), ...LIFT }));
  commitAll(copy, "a lift");
  where = { fleet, remote, mine, copy };
}

/** What a tick says of the due job, and a claim of the offered one. */
async function ask({ cwd = where.fleet, env = {}, flags = [] }: Run = {}) {
  const environment = { cwd, env: { ...GIT_ENV, ...env }, now: () => NOON };
  const tick = await runInProcess(environment, "--tick", "--dry-run", ...flags);
  const claim = await runInProcess(environment, "claim", "--job", TRAIN, "--worker-id", "me", ...flags);
  const row = JSON.parse(tick.out).jobs?.find(({ job_id }: { job_id: string }) => job_id === DUE);
  return { tick: row === undefined ? JSON.parse(tick.out) : `${row.action} ${row.reason}`, claim: JSON.parse(claim.out) };
}

const CONFIG_REFUSED = { ok: false, code: "CONFIG" };

const HELD = {
  tick: "HOLD CURSOR_QUOTA_HOLD",
  claim: { ok: true, state: "CURSOR_QUOTA_HOLD", invoke_model: false },
};

/** A name in git's configuration that sends the fleet's remote to the attacker's copy. */
const detour = ({ copy, remote }: Where) => ({ key: `url.${copy}.insteadOf`, value: remote });

const detourFile = ({ copy, remote }: Where): string => `[url "${copy}"]\n\tinsteadOf = ${remote}\n`;

/** A branch of the fleet's own remote that holds a lift. */
function pushLift(name: string): void {
  const { fleet } = where;
  git(fleet, "checkout", "-q", "-b", name);
  writeIn(fleet, "harness-wake.json", LIFT_FILE);
  commitAll(fleet, "a proposal");
  git(fleet, "push", "-q", "origin", name);
  git(fleet, "checkout", "-q", "main");
}

const TRICKS: Readonly<Record<string, Trick>> = {
  "a repository of one's own, with a link to the jobs directory": ({ fleet, mine }) => {
    symlinkSync(join(fleet, "wake_jobs"), join(mine, "wake_jobs"));
    return { cwd: mine };
  },
  "a link to the whole fleet, and a jobs directory that is named by it": ({ fleet, mine }) => {
    symlinkSync(fleet, join(mine, "fleet"));
    return { cwd: mine, flags: ["--jobs-dir", "fleet/wake_jobs"] };
  },
  "a jobs directory that a variable names, through a link": ({ fleet, mine }) => {
    symlinkSync(fleet, join(mine, "fleet"));
    return { cwd: mine, env: { HARNESS_WAKE_JOBS_DIR: "fleet/wake_jobs" } };
  },
  "a config of one's own that names the jobs directory through a link": ({ fleet, mine }) => {
    symlinkSync(fleet, join(mine, "fleet"));
    const config = { ...LIFT, jobs_dir: "fleet/wake_jobs" };
    writeIn(mine, "harness-wake.json", JSON.stringify(config));
    commitAll(mine);
    return { cwd: mine };
  },
  "a working directory that is reached by a link": ({ fleet, mine }) => {
    symlinkSync(fleet, join(mine, "fleet"));
    return { cwd: join(mine, "fleet") };
  },
  "a config beside the jobs, committed and pushed": ({ fleet }) => {
    writeIn(fleet, "wake_jobs/harness-wake.json", LIFT_FILE);
    commitAll(fleet);
    git(fleet, "push", "-q", "origin", "main");
    return { flags: ["--jobs-dir", "wake_jobs"] };
  },
  "the same from inside the jobs directory": ({ fleet }) => {
    writeIn(fleet, "wake_jobs/harness-wake.json", LIFT_FILE);
    commitAll(fleet);
    git(fleet, "push", "-q", "origin", "main");
    return { cwd: join(fleet, "wake_jobs"), flags: ["--jobs-dir", "."] };
  },
  "an empty .git beside a config of one's own": ({ fleet }) => {
    mkdirSync(join(fleet, "wake_jobs/.git"));
    writeIn(fleet, "wake_jobs/harness-wake.json", LIFT_FILE);
    return { flags: ["--jobs-dir", "wake_jobs"] };
  },
  "a .git that has a HEAD and nothing else": ({ fleet }) => {
    writeIn(fleet, "wake_jobs/.git/HEAD", "ref: refs/heads/main\n");
    writeIn(fleet, "wake_jobs/harness-wake.json", LIFT_FILE);
    return { flags: ["--jobs-dir", "wake_jobs"] };
  },
  "GIT_CONFIG_COUNT with an insteadOf": (at) => ({
    env: { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: detour(at).key, GIT_CONFIG_VALUE_0: detour(at).value },
  }),
  "GIT_CONFIG_PARAMETERS with an insteadOf": (at) => ({
    env: { GIT_CONFIG_PARAMETERS: `'${detour(at).key}'='${detour(at).value}'` },
  }),
  "GIT_CONFIG_GLOBAL with an insteadOf": (at) => {
    const file = join(tempDirectory(), "gitconfig");
    writeFileSync(file, detourFile(at));
    return { env: { GIT_CONFIG_GLOBAL: file } };
  },
  "a home of one's own with an insteadOf": (at) => {
    const home = tempDirectory();
    writeIn(home, ".gitconfig", detourFile(at));
    return { env: { HOME: home, GIT_CONFIG_GLOBAL: "" } };
  },
  "XDG_CONFIG_HOME with an insteadOf": (at) => {
    const home = tempDirectory();
    writeIn(home, "git/config", detourFile(at));
    return { env: { HOME: tempDirectory(), XDG_CONFIG_HOME: home, GIT_CONFIG_GLOBAL: "" } };
  },
  "an insteadOf in the checkout's own configuration": (at) => {
    appendFileSync(join(at.fleet, ".git/config"), detourFile(at));
    return {};
  },
  "variables that make git look into another repository": ({ mine }) => ({
    env: { GIT_DIR: join(mine, ".git"), GIT_WORK_TREE: mine, GIT_OBJECT_DIRECTORY: join(mine, ".git/objects") },
  }),
  "a namespace of the remote that has a main of its own": ({ fleet }) => {
    pushLift("agent/x");
    git(fleet, "push", "-q", "origin", "agent/x:refs/namespaces/agent/refs/heads/main");
    return { env: { GIT_NAMESPACE: "agent" } };
  },
  "a pages branch that the local config names": () => {
    pushLift("agent/x");
    return { local: { git: { pages_branch: "agent/x" } } };
  },
  "a pages branch that a variable names": () => {
    pushLift("agent/x");
    return { env: { HARNESS_WAKE_GIT_PAGES_BRANCH: "agent/x" } };
  },
  "a branch that is checked out here": ({ fleet }) => {
    pushLift("agent/x");
    git(fleet, "checkout", "-q", "agent/x");
    return {};
  },
  "what this clone takes for the remote's default branch": ({ fleet }) => {
    pushLift("agent/x");
    git(fleet, "remote", "set-head", "origin", "agent/x");
    return {};
  },
  "a remote that the local config names": ({ fleet, copy }) => {
    git(fleet, "remote", "add", "copy", copy);
    return { local: { git: { remote: "copy" } } };
  },
  "a remote that a variable names": ({ fleet, copy }) => {
    git(fleet, "remote", "add", "copy", copy);
    return { env: { HARNESS_WAKE_GIT_REMOTE: "copy" } };
  },
  "another commit in place of the head (git replace)": ({ fleet }) => {
    pushLift("agent/x");
    git(fleet, "replace", "origin/main", "agent/x");
    return {};
  },
  "another text in place of the config's (git replace)": ({ fleet }) => {
    pushLift("agent/x");
    git(fleet, "replace", "-f", "origin/main:harness-wake.json", "agent/x:harness-wake.json");
    return {};
  },
  "a lift in the index": ({ fleet }) => {
    writeIn(fleet, "harness-wake.json", LIFT_FILE);
    git(fleet, "add", "-A");
    return {};
  },
  "a lift that is committed and not pushed": ({ fleet }) => {
    writeIn(fleet, "harness-wake.json", LIFT_FILE);
    commitAll(fleet);
    return {};
  },
  "a --config of one's own": ({ mine }) => ({ flags: ["--config", join(mine, "harness-wake.json")] }),
  "a variable for holds, which there is none of": () => ({ env: { HARNESS_WAKE_HOLDS: LIFT_FILE } }),
};

describe.each([
  ["file", {}],
  ["git", { store: "git" }],
])("under the %s store nothing but the owner's commit lifts the built-in hold", (_store, config) => {
  beforeEach(() => setUp(JSON.stringify({ ...config, holds: { CURSOR_QUOTA_HOLD: { enabled: true } } })));

  test.each(Object.entries(TRICKS))("not %s", async (_, trick) => {
    const run = trick(where);
    // The local config claims the lift as well: without that the file store would not even look for one.
    writeIn(where.fleet, "harness-wake.json", JSON.stringify({ ...config, ...LIFT, ...run.local }));
    expect(await ask(run)).toMatchObject(HELD);
  });

  test.each<[string, (fleet: string) => void]>([
    ["is not JSON", (fleet) => writeIn(fleet, "harness-wake.json", "{")],
    [
      "has a key that this version does not know",
      (fleet) => writeIn(fleet, "harness-wake.json", JSON.stringify({ ...LIFT, x: 1 })),
    ],
    ["is a directory", (fleet) => writeIn(fleet, "harness-wake.json/x", "")],
    [
      "is a link",
      (fleet) => {
        writeIn(fleet, "lift.json", LIFT_FILE);
        symlinkSync("lift.json", join(fleet, "harness-wake.json"));
      },
    ],
  ])("a committed config that %s lifts nothing", async (_, write) => {
    const local = join(where.fleet, "harness-wake.json");
    rmSync(local);
    write(where.fleet);
    commitAll(where.fleet);
    git(where.fleet, "push", "-q", "origin", "main");
    rmSync(local, { recursive: true });
    writeIn(where.fleet, "harness-wake.json", JSON.stringify({ ...config, ...LIFT }));
    expect(await ask()).toMatchObject(HELD);
  });

  test.each<[string, (fleet: string) => void]>([
    ["a link", (fleet) => symlinkSync(join(where.mine, "harness-wake.json"), join(fleet, "harness-wake.json"))],
    ["a directory", (fleet) => mkdirSync(join(fleet, "harness-wake.json"))],
    ["a pipe", (fleet) => execFileSync("mkfifo", [join(fleet, "harness-wake.json")])],
    ["larger than a config may be", (fleet) => writeIn(fleet, "harness-wake.json", LIFT_FILE + " ".repeat(1024 * 1024))],
  ])("a local config that is %s is refused by name, and not waited for", async (_, write) => {
    rmSync(join(where.fleet, "harness-wake.json"));
    write(where.fleet);
    const { tick, claim } = await ask();
    expect([tick, claim]).toMatchObject([CONFIG_REFUSED, CONFIG_REFUSED]);
    expect(tick.message).toContain("harness-wake.json");
  });

  test("a jobs directory that was made a repository of its own is refused by name", async () => {
    const jobs = join(where.fleet, "wake_jobs");
    git(jobs, "init", "-q");
    writeIn(jobs, "harness-wake.json", LIFT_FILE);
    commitAll(jobs);
    for (const run of [{}, { flags: ["--jobs-dir", "wake_jobs"] }, { cwd: jobs, flags: ["--jobs-dir", "."] }]) {
      const { tick, claim } = await ask(run);
      expect([tick, claim]).toMatchObject([CONFIG_REFUSED, CONFIG_REFUSED]);
      expect(tick.message).toMatch(/wake_jobs: is a repository of its own inside /);
    }
  });

  test("the owner's commit at the head of the remote's default branch does", async () => {
    writeIn(where.fleet, "harness-wake.json", JSON.stringify({ ...config, ...LIFT }));
    commitAll(where.fleet);
    git(where.fleet, "push", "-q", "origin", "main");
    expect(await ask()).toMatchObject({ tick: "WAKE RUNNABLE", claim: { state: "CLAIMED" } });
  });
});

test("a repository that was made between the fleet's own and its jobs lifts nothing", async () => {
  setUp(JSON.stringify({ jobs_dir: "ops/wake_jobs" }), "ops/wake_jobs");
  const ops = join(where.fleet, "ops");
  git(ops, "init", "-q");
  writeIn(ops, "harness-wake.json", LIFT_FILE);
  commitAll(ops);
  expect(await ask({ cwd: ops })).toMatchObject(HELD);
});

describe("under the git store the config at the head of the default branch says which holds are added", () => {
  const NIGHT = { NIGHT_HOLD: { match: ["cursor"], note: "not at night" }, CURSOR_QUOTA_HOLD: { enabled: false } };
  beforeEach(() => setUp(JSON.stringify({ store: "git", ...LIFT })));

  test("also to a checkout that is older", async () => {
    const old = cloneOf(where.remote);
    writeIn(where.fleet, "harness-wake.json", JSON.stringify({ store: "git", holds: NIGHT }));
    commitAll(where.fleet);
    git(where.fleet, "push", "-q", "origin", "main");
    expect(await ask({ cwd: old })).toMatchObject({ tick: "HOLD NIGHT_HOLD", claim: { state: "NIGHT_HOLD" } });
  });

  test("and a local file adds none", async () => {
    writeIn(where.fleet, "harness-wake.json", JSON.stringify({ store: "git", holds: NIGHT }));
    expect(await ask()).toMatchObject({ tick: "WAKE RUNNABLE", claim: { state: "CLAIMED" } });
  });

  test("nothing is decided where git cannot say: what may have been added is not known", async () => {
    const wrapper = join(tempDirectory(), "git");
    const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    writeFileSync(wrapper, `#!/bin/sh\nfor word; do [ "$word" = cat-file ] && exit 128; done\nexec ${real} "$@"\n`, {
      mode: 0o755,
    });
    const { tick, claim } = await ask({ env: { PATH: `${dirname(wrapper)}:${process.env["PATH"]}` } });
    expect(tick).toMatchObject({ ok: false, code: "REMOTE_UNAVAILABLE" });
    expect(claim).toMatchObject({ ok: false, code: "REMOTE_UNAVAILABLE" });
  });

  test("nor where it is too large to be read", async () => {
    writeIn(where.fleet, "harness-wake.json", `{"store":"git"}${" ".repeat(1024 * 1024)}`);
    commitAll(where.fleet);
    git(where.fleet, "push", "-q", "origin", "main");
    writeIn(where.fleet, "harness-wake.json", JSON.stringify({ store: "git", ...LIFT }));
    const { tick, claim } = await ask();
    expect([tick, claim]).toMatchObject([{ code: "REMOTE_UNAVAILABLE" }, { code: "REMOTE_UNAVAILABLE" }]);
  });
});
