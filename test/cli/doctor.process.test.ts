import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CheckedFinding } from "../../src/cli/doctor/run-checks.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { commitAll } from "../support/git-repository.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { type NtfyServer, startNtfyServer } from "../support/ntfy-server.ts";
import { WOKEN_AT_STEP_0 } from "../support/woken-job.ts";

interface Examination {
  readonly ok: boolean;
  readonly trouble_count: number;
  readonly findings: readonly CheckedFinding[];
}

const KNOWN_AUTHOR = { GIT_AUTHOR_NAME: "Test", GIT_AUTHOR_EMAIL: "test@example.invalid" };

async function examine(cwd: string, env: Readonly<Record<string, string>> = KNOWN_AUTHOR, ...args: readonly string[]) {
  const { code, out } = await runInProcess({ cwd, env: { ...GIT_ENV, ...env } }, "doctor", "--now", atNoon(), ...args);
  const examination: Examination = JSON.parse(out);
  return { code, ...examination, troubles: examination.findings.filter(({ level }) => level === "trouble") };
}

const CONFLICT = `{
  "job_id": "harbor-merged-01",
<<<<<<< HEAD
  "max_attempts": 8,
=======
  "max_attempts": 9,
>>>>>>> wake-state
  "owner_claim": "HARBOR"
}
`;

function attempts(jobId: string, ...numbers: readonly string[]) {
  return numbers.map((number, i) => ({
    ...{ attempt_id: `${jobId}-a${number}`, event: "wake", lease_id: `lease-${number}`, worker_id: "watchdog" },
    ts: atNoon(-7200 + 600 * i),
  }));
}

let healthy: NtfyServer;
let strict: NtfyServer;
beforeAll(async () => {
  [healthy, strict] = await Promise.all([startNtfyServer(), startNtfyServer({ authorizations: ["Bearer tk_good"] })]);
});
afterAll(() => Promise.all([healthy.down(), strict.down()]));

/** A fleet in which nearly everything is wrong that can be wrong at once. */
async function brokenFleet(): Promise<string> {
  const gone = await startNtfyServer();
  await gone.down();
  const { directory } = fleetWithRemote({ ntfy: { urls: [`${gone.url}/harbor`, `${strict.url}/harbor`] } });
  const jobs = join(directory, "wake_jobs");
  const urls = [`${gone.url}/harbor`, `${strict.url}/harbor`];
  const restored = putJob(jobs, "harbor-restored1", { next_wake_at: "2099-01-01" });
  commitAll(directory);
  writeFileSync(restored, '{"job_id": "harbor-restored1",\n  "owner_claim" "HARBOR"}\n');
  writeFileSync(join(jobs, "harbor-merged-01.json"), CONFLICT);
  putJob(jobs, "harbor-field-001", { checkpoint: { max_attempts: 1 }, max_attempts: 0 });
  putJob(jobs, "harbor-overdue-1", { next_wake_at: atNoon(-90_000) });
  putJob(jobs, "harbor-blocked-1", { status: "BLOCKED", blocker: { kind: "external_authority", detail: "needs a key" } });
  putJob(jobs, "harbor-unclaimed", {
    ...WOKEN_AT_STEP_0,
    ...{ status: "LEASED", lease: { lease_id: "lease-01", holder: "watchdog", until: atNoon(-60) } },
    event_receipts: [
      { ...attempts("harbor-unclaimed", "01")[0], mail: "owed", ts: atNoon(-1000) },
      {
        attempt_id: "harbor-unclaimed-a01",
        event: "deliver",
        carrier: "MAIL",
        count: 1,
        host: "https://ntfy.example.net",
        http_status: 200,
        ts: atNoon(-990),
      },
    ],
  });
  putJob(jobs, "harbor-burned-01", {
    ...{ attempt_count: 3, woke_once: true, in_backoff: true, lease_seconds: 300, next_wake_at: atNoon(600) },
    event_receipts: attempts("harbor-burned-01", "01", "02", "03"),
  });
  writeFileSync(join(jobs, ".lock.d"), "not a directory\n");
  writeFileSync(
    join(directory, "harness-wake.json"),
    JSON.stringify({ ntfy: { urls }, holds: { CURSOR_QUOTA_HOLD: { enabled: false } } }),
  );
  git(directory, "remote", "set-url", "origin", join(directory, "no-such-repository"));
  git(directory, "config", "user.useConfigOnly", "true");
  return directory;
}

/** What each is found by, and what is said to do. */
const TROUBLES: readonly (readonly [check: string, found: RegExp, remedy: RegExp])[] = [
  ["git", /does not know who commits/, /git config --global user\.name/],
  ["holds", /lifts CURSOR_QUOTA_HOLD/, /commit harness-wake\.json to the default branch/],
  ["remote", /origin does not answer: .*no-such-repository/, /git ls-remote origin/],
  ["job files", /harbor-field-001\.json: max_attempts is 0.*\(line 11, column 3\)$/, /mend the file by hand/],
  ["job files", /line 3 .*\nline 3: HEAD has "max_attempts": 8,; wake-state has "max_attempts": 9,$/, /choose a side of each/],
  [
    "job files",
    /harbor-restored1\.json: .*line 2 column 17/,
    /^git restore --source=HEAD --staged --worktree -- wake_jobs\/harbor-restored1\.json$/,
  ],
  ["lock", /\.lock\.d is no directory/, /^rm wake_jobs\/\.lock\.d$/],
  ["ntfy", /^http:\/\/127\.0\.0\.1:\d+ is not well: ECONNREFUSED$/, /curl http:\/\/127\.0\.0\.1:\d+\/v1\/health/],
  ["ntfy", /^http:\/\/127\.0\.0\.1:\d+ would take no mail: .*\(HTTP 403\)$/, /give the token/],
  ["ticks", /^5 ticks of the last week left a trace/, /harness-wake --tick --every 60s/],
  ["overdue jobs", /harbor-overdue-1 \(overdue\)/, /^harness-wake --tick --deliver$/],
  ["offers", /harbor-unclaimed-a01 was offered once/, /harness-wake work --harness script/],
  [
    "attempts",
    /harbor-burned-01: 3 of 3 attempts brought nothing \(3 never claimed/,
    /^harness-wake update harbor-burned-01 --lease-seconds 3600$/,
  ],
  ["stopped jobs", /harbor-blocked-1 .*needs a key/, /harness-wake unblock harbor-blocked-1/],
];

describe("doctor, of a fleet that is broken in many ways at once,", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await brokenFleet();
  });

  test("names every one, with the command that mends it or what a person has to decide, and exits 1", async () => {
    const { code, ok, troubles, trouble_count } = await examine(directory, {});
    expect(troubles.map(({ check }) => check)).toEqual(TROUBLES.map(([check]) => check));
    for (const [i, [, found, remedy]] of TROUBLES.entries()) {
      expect(troubles[i]?.found).toMatch(found);
      expect(troubles[i]?.remedy?.command ?? troubles[i]?.remedy?.decision).toMatch(remedy);
      expect(troubles[i]?.means).toMatch(/\w/);
    }
    expect([code, ok, trouble_count]).toEqual([1, false, TROUBLES.length]);
  });

  test("changes no byte, and mails nobody", async () => {
    const before = directoryBytes(directory);
    await examine(directory, {});
    expect(directoryBytes(directory)).toEqual(before);
    expect([healthy, strict].flatMap((server) => server.messages("harbor"))).toEqual([]);
  });

  test("prints a record as schema/records.json says", async () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    ajv.addSchema(JSON.parse(readFileSync(join(import.meta.dirname, "../../schema/records.json"), "utf8")), "records");
    const isRecord = ajv.getSchema("records#/$defs/doctor");
    const { out } = await runInProcess({ cwd: directory }, "doctor", "--now", atNoon());
    expect([isRecord?.(JSON.parse(out)), isRecord?.errors]).toEqual([true, null]);
  });

  test("tells people first what needs one, with a mark, in lines that fit", async () => {
    const { out } = await runInProcess(
      { cwd: directory, stdoutIsTerminal: true, columns: () => 80 },
      "doctor",
      "--now",
      atNoon(),
    );
    const heads = out.split("\n").filter((line) => /^[!~ ] \S/.test(line));
    expect(heads.map((line) => line[0])).toEqual(
      heads.map((line) => line[0]).toSorted((a, b) => "!~ ".indexOf(a ?? "") - "!~ ".indexOf(b ?? "")),
    );
    expect(out).toContain("→ rm wake_jobs/.lock.d\n");
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([expect.stringMatching(/^ {4}→ git restore .*\.json$/)]);
  });

  test("tells no topic, which is its own password", async () => {
    const { findings } = await examine(directory, {});
    expect(JSON.stringify(findings.filter(({ check }) => check === "ntfy"))).not.toContain("/harbor");
  });

  test("gives commands that mend what commands can mend", async () => {
    const commands = (await examine(directory, {})).troubles.flatMap(({ remedy }) => remedy?.command ?? []);
    expect(commands).toHaveLength(4);
    for (const command of commands) {
      const [program, ...words] = command.split(" ");
      if (program !== "harness-wake") execFileSync("sh", ["-c", command], { cwd: directory, env: GIT_ENV, stdio: "pipe" });
      // Where mail fails the tick is done in part.
      else expect((await runInProcess({ cwd: directory }, ...words, "--now", atNoon())).code).toBeLessThan(2);
    }
    const { troubles } = await examine(directory, {});
    expect(troubles.flatMap(({ remedy }) => remedy?.command ?? [])).toEqual([]);
    expect(troubles.map(({ found }) => found).join("\n")).not.toMatch(/harbor-restored1|\.lock\.d|harbor-overdue-1 \(overdue\)/);
  });
});

describe("doctor", () => {
  test("finds nothing that needs a person in a fleet that is well, and asks ntfy without mailing", async () => {
    const { directory } = fleetWithRemote({ ntfy: { urls: [`${healthy.url}/harbor`] } });
    putJob(join(directory, "wake_jobs"), "harbor-crane-001", { next_wake_at: atNoon(600) });
    const { code, troubles, findings } = await examine(directory);
    expect([code, troubles]).toEqual([0, []]);
    expect(findings).toContainEqual({
      check: "ntfy",
      level: "ok",
      found: `${healthy.url} is well, and would take mail; nothing was sent`,
    });
    expect(healthy.messages("harbor")).toEqual([]);
  });

  test("goes on where the config itself is broken, as if there were none", async () => {
    const { directory } = fleetWithRemote({});
    writeFileSync(join(directory, "harness-wake.json"), '{"jobs_dri": "wake_jobs"}');
    writeFileSync(join(directory, "wake_jobs/harbor-broken-01.json"), "{");
    const { troubles } = await examine(directory);
    expect(troubles.map(({ check }) => check)).toEqual(["config", "job files"]);
    expect(troubles[0]?.found).toContain("jobs_dri");
  });

  test("finds a jobs directory that is missing, and says how to make it", async () => {
    const { directory } = fleetWithRemote({ jobs_dir: "jobs" });
    const { troubles } = await examine(directory);
    expect(troubles.find(({ check }) => check === "jobs directory")?.remedy).toEqual({ command: "mkdir -p jobs" });
    mkdirSync(join(directory, "jobs"));
    expect((await examine(directory)).troubles).toEqual([]);
  });

  test("of a git store says whether the remote would take a push, and pushes nothing", async () => {
    const { directory, remote } = fleetWithRemote({ store: "git" });
    const before = git(remote, "for-each-ref");
    const { troubles, findings } = await examine(directory);
    expect(troubles).toEqual([]);
    expect(findings).toContainEqual(
      expect.objectContaining({ found: "origin takes pushes from here, as far as a dry run can tell" }),
    );
    expect(git(remote, "for-each-ref")).toBe(before);
  });

  test("of a git store finds the branch of the jobs missing", async () => {
    const { directory } = fleetWithRemote({ store: "git", git: { branch: "wake-state" } });
    const { troubles } = await examine(directory);
    expect(troubles.find(({ check }) => check === "remote")).toMatchObject({ found: "origin has no branch wake-state" });
  });

  test("of a git store finds that its remote takes no push, in the remote's own words", async () => {
    const { directory, remote } = fleetWithRemote({ store: "git" });
    // The same address, behind which nothing takes a push.
    git(directory, "config", "remote.origin.receivepack", "sh -c 'echo no pushes from here >&2; exit 1' --");
    const { troubles } = await examine(directory);
    expect(troubles.find(({ check }) => check === "remote")).toMatchObject({
      found: expect.stringMatching(/^origin takes no push: no pushes from here/),
      remedy: { decision: expect.stringContaining("git push --dry-run origin HEAD:refs/heads/main") },
    });
    expect(git(remote, "for-each-ref")).toContain("refs/heads/main");
  });
});
