import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Job } from "../../src/job/job.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { git } from "../support/git.ts";
import { cloneOf } from "../support/git-repository.ts";
import { type NtfyProcess, startNtfyProcess } from "../support/ntfy-process.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { WorkingCli } from "../support/working-cli.ts";

const TOPIC = "harbor-wakes";
const TOLD = ["--owner", "HARBOR", "--harness", "script", "--objective", "Write the page", "--within", "2d"];

let ntfy: NtfyProcess;
/** Where workers keep what they must not forget. */
let home: string;
beforeAll(async () => {
  home = tempDirectory();
  ntfy = await startNtfyProcess();
});
afterAll(() => ntfy.stop());

/** Three lines that do a job: write its page, commit, push. A push that another was faster than is tried again. */
const WRITES_THE_PAGE = `mkdir -p p && echo "All quiet." > "p/$HARNESS_WAKE_JOB_ID.md" && git add p && git commit -q -m "Page of $HARNESS_WAKE_JOB_ID" || exit 1
for n in 1 2 3 4 5 6 7 8 9; do git push -q origin HEAD:main && exit 0; git pull -q --rebase origin main; done; exit 1`;

function fleet(config: object = {}) {
  return fleetWithRemote({ store: "git", ntfy: { urls: [`${ntfy.url}/${TOPIC}`] }, ...config });
}

/** The remotes of these tests lie in the temp directory, which bubblewrap keeps from a run. */
const UNENCLOSED = ["--enclosure", "none"];

const AUTHOR = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
};
const AS_AUTHOR = Object.keys(AUTHOR).flatMap((name) => ["--env", name]);

it("a job goes from create to DONE in four commands, without a line of code beside its command", async () => {
  const { directory, remote } = fleet();
  const cli = (...args: readonly string[]) => runCli({ cwd: directory, env: { ...AUTHOR, HOME: home } }, ...args);
  await cli("create", "harbor-page-0001", ...TOLD);
  expect((await cli("--tick", "--deliver", "--land")).json).toMatchObject({ wake_count: 1, delivered_count: 1 });
  const work = await cli("work", "--harness", "script", "--exec", WRITES_THE_PAGE, "--once", ...UNENCLOSED, ...AS_AUTHOR);
  expect(
    work.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { event: "started", harness: "script" },
    { event: "claimed", attempt_id: "harbor-page-0001-a01" },
    { event: "ended", state: "DONE", ok: true },
    { ok: true, state: "WORKED", claimed: 1, finished: 1, failed: 0, kept: 0 },
  ]);
  expect(work.code).toBe(0);
  expect(git(remote, "show", "main:p/harbor-page-0001.md")).toBe("All quiet.");
  // The run's worktree is gone, and the checkout as it was.
  expect(git(directory, "worktree", "list").split("\n")).toHaveLength(1);
  expect(git(directory, "status", "--short")).toBe("");
});

it("in the checkout itself a run does its job and leaves nothing behind that its owner's git would run", async ({ skip }) => {
  const { directory, remote } = fleet();
  const cli = (...args: readonly string[]) => runCli({ cwd: directory, env: { ...AUTHOR, HOME: home } }, ...args);
  await cli("create", "harbor-page-0001", ...TOLD);
  await cli("--tick", "--deliver", "--land");
  const config = readFileSync(join(directory, ".git", "config"), "utf8");
  const attack = `echo "exit 1" > .git/hooks/pre-commit; git config core.fsmonitor ./evil; ${WRITES_THE_PAGE}`;
  const work = await cli("work", "--harness", "script", "--exec", attack, "--once", "--workspace", "here", ...AS_AUTHOR);
  skip(!work.stdout.includes('"enclosure":"bwrap"'));
  expect(work.stdout).toMatch(/"event":"ended"[^\n]*"state":"DONE"/);
  expect(git(remote, "show", "main:p/harbor-page-0001.md")).toBe("All quiet.");
  expect(readFileSync(join(directory, ".git", "config"), "utf8")).toBe(config);
  expect(readdirSync(join(directory, ".git", "hooks"))).not.toContain("pre-commit");
});

it("what a run is given: its prompt, its files, its checkpoint, and no claim, no token and no key", async () => {
  const { directory } = fleet();
  const seen = join(tempDirectory(), "seen");
  const cli = (...args: readonly string[]) =>
    runCli(
      { cwd: directory, env: { ...AUTHOR, HOME: home, SECRET_TOKEN: "hunter2", NTFY_TOKEN: "tk_planted", NAMED: "yes" } },
      ...args,
    );
  await cli("create", "harbor-page-0001", ...TOLD, "--checkpoint", '{"step": 3, "notes": ["a"]}');
  await cli("--tick", "--deliver", "--land");
  const look = `{ cat; echo; cat "$HARNESS_WAKE_CHECKPOINT_FILE"; env; } > ${seen}; echo '{"checkpoint": {"step": 4}, "in": "1d"}' > "$HARNESS_WAKE_OUTCOME_FILE"`;
  const given = ["--harness", "script", "--exec", look, "--once", "--env", "NAMED", "--env", "NTFY_TOKEN", ...UNENCLOSED];
  const claim = (await cli("work", ...given)).stdout;
  expect(claim).toContain('"state":"CHECKPOINT"');
  const text = readFileSync(seen, "utf8");
  expect(text).toContain("# Write the page");
  expect(text).toContain("p/harbor-page-0001.md");
  expect(text).toContain('"step": 3');
  expect(text).toContain("HARNESS_WAKE_ATTEMPT_ID=harbor-page-0001-a01");
  expect(text).toContain("NAMED=yes");
  const job: Job = JSON.parse((await cli("show", "harbor-page-0001")).stdout);
  const claimId = job.event_receipts.find(({ event }) => event === "delivery_claim")?.["claim_id"];
  for (const secret of ["hunter2", "tk_planted", String(claimId), "lease-"]) expect(text).not.toContain(secret);
  expect(job).toMatchObject({ status: "OPEN", checkpoint: { step: 4 } });
});

it("under bubblewrap a run finds no claim in the job files that its checkout holds", async ({ skip }) => {
  const { directory } = fleet({ store: "file" });
  const cli = (...args: readonly string[]) => runCli({ cwd: directory, env: { HOME: home } }, ...args);
  await cli("create", "harbor-page-0001", ...TOLD);
  await cli("--tick", "--deliver");
  const look = `found=$(grep -rhoE 'claim-[0-9a-f]{8}' ${directory}/wake_jobs; ls ${directory}); echo "{\\"fail\\": \\"found: $(echo $found)\\"}" > "$HARNESS_WAKE_OUTCOME_FILE"`;
  const work = await cli("work", "--harness", "script", "--exec", look, "--once");
  skip(!work.stdout.includes('"enclosure":"bwrap"'));
  expect(readFileSync(join(directory, "wake_jobs", "harbor-page-0001.json"), "utf8")).toMatch(/"claim-[0-9a-f]{8}/);
  expect(work.stdout).toMatch(/"message":"found: [^"]*wake_jobs/);
  expect(work.stdout).not.toContain("claim-");
});

it("under bubblewrap a run has a temp directory that it can write, wherever the worker's lies", async ({ skip }) => {
  const { directory } = fleet({ store: "file" });
  const env = { HOME: home, TMPDIR: tempDirectory() };
  const cli = (...args: readonly string[]) => runCli({ cwd: directory, env }, ...args);
  await cli("create", "harbor-page-0001", ...TOLD);
  await cli("--tick", "--deliver");
  const look = 'made=$(mktemp 2>&1); echo "{\\"fail\\": \\"made $made\\"}" > "$HARNESS_WAKE_OUTCOME_FILE"';
  const work = await cli("work", "--harness", "script", "--exec", look, "--once");
  skip(!work.stdout.includes('"enclosure":"bwrap"'));
  expect(work.stdout).toMatch(/"message":"made \/tmp\/tmp\.[A-Za-z0-9]+"/);
});

it.each([
  ["--exec", "true", "--model", "a-model"],
  ["--exec", "true", "--max-turns", "3"],
  ["--exec", "true", "--max-budget-usd", "1"],
  ["--adapter", "cursor", "--max-budget-usd", "1"],
  ["--exec", "true", "--read-only"],
])("an option that %s does not heed is refused: %s %s %s", async (...args) => {
  const { directory } = fleet({ store: "file" });
  const work = await runCli({ cwd: directory, env: { HOME: home } }, "work", "--harness", "script", ...args, "--once");
  expect(work.code).toBe(2);
  expect(work.json).toMatchObject({ ok: false, code: "USAGE" });
});

it("tells of its runs in the form that --format asks for", async () => {
  const { directory } = fleet({ store: "file" });
  const work = ["work", "--harness", "script", "--exec", "true", "--once", "--format", "table", ...UNENCLOSED];
  const { stdout, code } = await runCli({ cwd: directory, env: { HOME: home } }, ...work);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\S+ works for script\. .*\n0 claimed, 0 finished, 0 failed, 0 kept\n$/);
});

it("a command that fails gives its attempt up, with its code and last words and no secret", async () => {
  const { directory } = fleet();
  const cli = (...args: readonly string[]) => runCli({ cwd: directory, env: { ...AUTHOR, HOME: home } }, ...args);
  await cli("create", "harbor-page-0001", ...TOLD);
  await cli("--tick", "--deliver", "--land");
  const fails = "echo 'cannot reach https://me:hunter2@example.org' >&2; exit 7";
  const work = await cli("work", "--harness", "script", "--exec", fails, "--once", ...UNENCLOSED);
  expect(work.code).toBe(1);
  const job: Job = JSON.parse((await cli("show", "harbor-page-0001")).stdout);
  const failed = job.event_receipts.find(({ event }) => event === "failed");
  expect(failed?.["detail"]).toContain("the command exited with 7");
  expect(failed?.["detail"]).toContain("cannot reach");
  expect(JSON.stringify(job)).not.toContain("hunter2");
});

it("ten jobs, two workers in clones of their own, one killed halfway: all DONE, none run by two at once, nothing left over", async () => {
  const { directory, remote } = fleet();
  const cli = (...args: readonly string[]) => runCli({ cwd: directory, env: { ...AUTHOR, HOME: home } }, ...args);
  const jobs = Array.from({ length: 10 }, (_, i) => `harbor-page-${String(i).padStart(4, "0")}`);
  for (const job of jobs)
    await cli("create", job, ...TOLD, "--lease-seconds", "300", "--backoff-seconds", "1", "--max-backoff-seconds", "1");
  const log = join(tempDirectory(), "log");
  writeFileSync(log, "");
  const gate = join(tempDirectory(), "gate");
  // Appends of a line are whole. A run waits at the gate, so that the kill comes in the middle of one.
  const stamped = `echo "$HARNESS_WAKE_ATTEMPT_ID begin" >> ${log}; while [ ! -e ${gate} ]; do sleep 0.05; done; ( ${WRITES_THE_PAGE} ) && echo "$HARNESS_WAKE_ATTEMPT_ID end" >> ${log}`;
  const args = ["--harness", "script", "--exec", stamped, "--look", "1s", "--concurrency", "2", ...UNENCLOSED, ...AS_AUTHOR];
  const clones = [cloneOf(remote), cloneOf(remote)];
  const worker = (i: number) => new WorkingCli(clones[i] ?? "", { ...AUTHOR, HOME: home }, ...args, "--worker-id", `worker-${i}`);

  expect((await cli("--tick", "--deliver", "--land")).json).toMatchObject({ wake_count: 10, delivered_count: 10 });
  await using first = worker(0);
  await using second = worker(1);
  await Promise.all([first.hear("claimed"), second.hear("claimed")]);
  await waitFor(() => readFileSync(log, "utf8").includes("begin"));
  first.signal("SIGKILL");
  await first.over();
  writeFileSync(gate, "");
  // Another takes the killed one's place, on the same host: what was cut off is given up at once, and offered anew.
  await using third = worker(0);
  for (let pass = 0; pass < 60; pass++) {
    await cli("--tick", "--deliver", "--land");
    const { jobs: listed } = (await cli("list")).json as unknown as { readonly jobs: readonly { readonly status: string }[] };
    if (listed.every(({ status }) => status === "DONE")) break;
  }
  third.signal("SIGTERM");
  second.signal("SIGTERM");
  expect(await Promise.all([second.over(), third.over()])).not.toContain(null);

  for (const job of jobs) {
    expect(JSON.parse((await cli("show", job)).stdout)).toMatchObject({ status: "DONE" });
    expect(git(remote, "show", `main:p/${job}.md`)).toBe("All quiet.");
  }
  const stamps = readFileSync(log, "utf8").trim().split("\n");
  for (const job of jobs) {
    const ofJob = stamps.filter((stamp) => stamp.startsWith(job));
    const begun = ofJob.flatMap((stamp) => /^(\S+) begin$/.exec(stamp)?.[1] ?? []);
    // No attempt begins twice, and none begins before the end of the one before it, unless that was cut off.
    expect(new Set(begun).size).toBe(begun.length);
    expect(ofJob).toEqual([...begun.map((attempt) => `${attempt} begin`), `${begun.at(-1)} end`]);
  }
  // What began and did not end is what the killed worker was at.
  expect(stamps.length - 2 * jobs.length).toBeLessThanOrEqual(2);
  expect(runningOf(log)).toEqual([]);
}, 600_000);

/** Waits for something that another process does, for as long as the test may take. */
async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** Processes of this host that still have the text in their command line. */
function runningOf(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && pid !== `${process.pid}` && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}
