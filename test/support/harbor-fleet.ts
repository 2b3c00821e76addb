import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "../../src/job/job.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import { putJob } from "./job-builder.ts";
import { atNoon } from "./noon.ts";
import { tempDirectory } from "./temp-directory.ts";
import { STEP_0_SHA256, WOKEN_AT_STEP_0 } from "./woken-job.ts";

/** A small fleet in every state that time brings a job to, as of noon; and one file that is no job. No page is asked for. */
export function harborFleet(): string {
  const directory = tempDirectory();
  const jobs = join(directory, "wake_jobs");
  mkdirSync(jobs);
  writeFileSync(join(directory, "harness-wake.json"), JSON.stringify({ ntfy: { urls: ["https://ntfy.example.net/harbor"] } }));
  for (const [jobId, fields] of Object.entries(JOBS)) putJob(jobs, jobId, fields);
  writeFileSync(join(jobs, "harbor-broken-01.json"), '{"job_id": "harbor-broken-01",\n<<<<<<< HEAD\n');
  return directory;
}

const LATER = { next_wake_at: atNoon(900) };
const PAST = { next_wake_at: atNoon(-900) };

function receipts(jobId: string, ...given: readonly Omit<Receipt, "attempt_id">[]): readonly Receipt[] {
  return given.map((receipt) => ({ attempt_id: `${jobId}-a01`, ...receipt }) as Receipt);
}

function wake(seconds: number): Omit<Receipt, "attempt_id"> {
  return { event: "wake", lease_id: "lease-777777777777", mail: "owed", ts: atNoon(seconds), worker_id: "gh-watchdog" };
}

const MAIL = {
  event: "deliver",
  carrier: "MAIL",
  count: 1,
  host: "https://ntfy.example.net",
  http_status: 200,
  ts: atNoon(-890),
};
const FAILED = { ...MAIL, carrier: "FAILED", count: 3, http_status: 503, error: "HTTP 503", ts: atNoon(-90) };

function claim(seconds: number): Omit<Receipt, "attempt_id"> {
  return {
    event: "delivery_claim",
    claim_id: "claim-777777777777",
    lease_id: "lease-777777777777",
    cost_usd: 0.25,
    renewed_at: atNoon(-60),
    step: 1,
    tokens_used: 1200,
    ts: atNoon(seconds),
    wake_checkpoint_fp: STEP_0_SHA256.slice(0, 16),
    wake_checkpoint_sha256: STEP_0_SHA256,
    worker_id: "worker-one",
  };
}

function leased(holder: string, untilSeconds: number): Partial<Job> {
  const lease = { lease_id: "lease-777777777777", holder, until: atNoon(untilSeconds) };
  return { ...WOKEN_AT_STEP_0, ...PAST, status: "LEASED", last_wake_at: atNoon(-900), lease };
}

const JOBS: Readonly<Record<string, Partial<Job>>> = {
  "harbor-blocked-01": {
    status: "BLOCKED",
    blocker: { kind: "external_authority", detail: "needs a key", fingerprint: "401abe9b66b0e16c" },
    last_blocker_fingerprint: "401abe9b66b0e16c",
    updated_at: atNoon(-7200),
  },
  "harbor-cancelled-1": { status: "CANCELLED", updated_at: atNoon(-86_400) },
  "harbor-done-00001": { status: "DONE", completed_at: atNoon(-90_000), tokens_used: 5200 },
  "harbor-due-000001": {
    next_wake_at: atNoon(-60),
    objective: "夜間の航路を確認する 🚢 with a title that goes on for longer than a line",
  },
  "harbor-exhausted1": {
    status: "EXHAUSTED",
    exhausted_reason: "BUDGET",
    tokens_used: 100_000,
    event_receipts: [{ attempt_id: "harbor-exhausted1-exhaust", event: "exhaust", reason: "BUDGET", ts: atNoon(-172_800) }],
  },
  "harbor-failing-01": {
    ...leased("gh-watchdog", 600),
    event_receipts: receipts("harbor-failing-01", wake(-900), FAILED),
  },
  "harbor-held-00001": { ...LATER, harness: "cursor-cli" },
  "harbor-offered-01": {
    ...leased("gh-watchdog", 600),
    event_receipts: receipts("harbor-offered-01", wake(-890), MAIL),
  },
  "harbor-overdue-01": { next_wake_at: atNoon(-90_000) },
  "harbor-resting-01": { ...LATER, ...WOKEN_AT_STEP_0, in_backoff: true, no_progress_count: 2 },
  "harbor-unclaimed1": {
    ...leased("gh-watchdog", -60),
    event_receipts: receipts("harbor-unclaimed1", wake(-900), MAIL),
  },
  "harbor-waiting-01": { next_wake_at: atNoon(7200) },
  "harbor-working-01": {
    ...leased("worker-one", 840),
    tokens_used: 1200,
    event_receipts: receipts("harbor-working-01", wake(-900), MAIL, claim(-800)),
    instructions: "Look at the signals.\nThen write the page.",
  },
};
