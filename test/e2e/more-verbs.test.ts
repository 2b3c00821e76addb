import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { type NtfyProcess, startNtfyProcess } from "../support/ntfy-process.ts";
import { runCli } from "../support/run-cli.ts";

const JOB = "harbor-train-0001";
const TOLD = ["--owner", "HARBOR", "--harness", "script", "--objective", "Keep the train moving", "--within", "2d"];

let ntfy: NtfyProcess;
/** Each fleet has a topic of its own. */
let fleets = 0;
beforeAll(async () => {
  ntfy = await startNtfyProcess();
});
afterAll(() => ntfy.stop());

function fleet() {
  const { directory } = fleetWithRemote({ ntfy: { urls: [`${ntfy.url}/harbor-${++fleets}`] } });
  return { directory, cli: (...args: readonly string[]) => runCli({ cwd: directory }, ...args) };
}

describe("instructions", () => {
  it("are read from a file, and reach the harness on CLAIMED and no mail", async () => {
    const { directory, cli } = fleet();
    writeFileSync(join(directory, "prompt.md"), "Look at the signals.\nThen write the page.\n");
    await cli("create", JOB, ...TOLD, "--instructions", "prompt.md");
    await cli("--tick", "--deliver");
    const mail = await cli("inbox");
    expect(mail.code).toBe(0);
    expect(mail.stdout).not.toContain("signals");
    const claimed = await cli("claim", mail.stdout.trim(), "--worker-id", "worker-one");
    expect(claimed.json).toMatchObject({ state: "CLAIMED", instructions: "Look at the signals.\nThen write the page.\n" });
  });
});

describe("inbox", () => {
  it("prints one JSON line per mail, those for a harness alone where it is named", async () => {
    const { cli } = fleet();
    await cli("create", JOB, ...TOLD);
    await cli("--tick", "--deliver");
    expect(JSON.parse((await cli("inbox", "--harness", "script")).stdout)).toMatchObject({ job_id: JOB, from: "HARNESS_WAKE" });
    expect((await cli("inbox", "--harness", "another")).stdout).toBe("");
  });
});

describe("release", () => {
  it("takes a claimed offer back: its claim is over, and the next tick wakes the job anew", async () => {
    const { cli } = fleet();
    await cli("create", JOB, ...TOLD);
    await cli("--tick");
    const claim = await cli("claim", "--job", JOB, "--worker-id", "worker-one");
    expect((await cli("release", JOB)).json).toMatchObject({ ok: true, state: "RELEASED" });
    expect((await cli("release", JOB)).json).toMatchObject({ ok: true, state: "RELEASED", replay: true });
    expect((await cli("renew", claim.stdout, "--worker-id", "worker-one")).json).toMatchObject({
      ok: false,
      state: "LEASE_LOST",
    });
    expect((await cli("--tick")).json).toMatchObject({ jobs: [{ action: "WAKE", attempt_id: `${JOB}-a02` }] });
  });
});

describe("finish", () => {
  it("with a blocker blocks the job, and notes what the attempt cost", async () => {
    const { cli } = fleet();
    await cli("create", JOB, ...TOLD);
    await cli("--tick");
    const claim = (await cli("claim", "--job", JOB, "--worker-id", "worker-one")).stdout;
    const finished = await cli("finish", claim, "--worker-id", "worker-one", "--blocker", "needs a key", "--cost-usd", "0.25");
    expect(finished.json).toMatchObject({ ok: true, state: "CHECKPOINT" });
    const job = (await cli("show", JOB)).json as { readonly event_receipts: readonly Record<string, unknown>[] };
    expect(job).toMatchObject({ status: "BLOCKED", blocker: { kind: "external_authority", detail: "needs a key" } });
    expect(job.event_receipts.find(({ event }) => event === "delivery_claim")).toMatchObject({ cost_usd: 0.25 });
  });
});

describe("create", () => {
  it.each([
    ["whose deadline is over", ["--deadline", "2020-01-01"]],
    ["whose first wake comes after its deadline", ["--in", "3d"]],
  ])("refuses a job %s, exit 2", async (_what, options) => {
    const { cli } = fleet();
    const run = await cli("create", JOB, ...TOLD, ...options);
    expect(run).toMatchObject({ code: 2, json: { ok: false, code: "USAGE", field: "deadline" } });
  });

  it("warns of a harness that a hold covers", async () => {
    const { cli } = fleet();
    const run = await cli("create", JOB, ...TOLD, "--harness", "cursor-cli");
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("CURSOR_QUOTA_HOLD covers the harness cursor-cli");
  });
});
