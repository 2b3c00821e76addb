import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const WOKEN_AT_STEP_0 = "4b56b1702e711f4cfe292af8d45bfbf284b110ae167ddbb595ee2d713d174746";

/**
 * Fills a directory with job files as they are met in use: every other one fresh, every other one with the history of one
 * finished attempt. Like older files they leave out a field that has a default.
 */
export function writeJobs(directory: string, count: number, nextWakeAt: string): void {
  mkdirSync(directory, { recursive: true });
  for (const [i, jobId] of jobIds(count).entries()) {
    writeFileSync(join(directory, `${jobId}.json`), jobText(jobId, nextWakeAt, i % 2 === 1));
  }
}

export function jobIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `bench-job-${String(i).padStart(6, "0")}`);
}

function jobText(jobId: string, nextWakeAt: string, hasHistory: boolean): string {
  const job = {
    attempt_count: hasHistory ? 1 : 0,
    backoff_seconds: 60,
    blocker: null,
    budget_tokens: 100_000,
    checkpoint: { step: hasHistory ? 1 : 0 },
    completion_predicate: { type: "status_done" },
    created_at: "2026-11-29T08:00:00Z",
    deadline: "2099-12-31T00:00:00Z",
    event_receipts: hasHistory ? finishedAttempt(jobId) : [],
    harness: "claude-code",
    in_backoff: false,
    job_id: jobId,
    ...(hasHistory && {
      last_wake_at: "2026-11-30T11:00:00Z",
      last_wake_checkpoint_fp: WOKEN_AT_STEP_0.slice(0, 16),
      last_wake_checkpoint_sha256: WOKEN_AT_STEP_0,
    }),
    lease: null,
    lease_seconds: 900,
    max_attempts: 8,
    max_backoff_seconds: 3600,
    next_wake_at: nextWakeAt,
    no_progress_count: 0,
    objective: "Keep the release train moving.",
    owner_claim: "HARBOR",
    result_address: jobId,
    status: "OPEN",
    tokens_used: hasHistory ? 1200 : 0,
    updated_at: "2026-11-30T11:05:00Z",
    woke_once: hasHistory,
  };
  return `${JSON.stringify(job, null, 2)}\n`;
}

function finishedAttempt(jobId: string): object[] {
  const attempt_id = `${jobId}-a01`;
  const lease_id = "lease-777777777777";
  const claim_id = "claim-777777777777";
  return [
    { attempt_id, event: "wake", lease_id, mail: "owed", ts: "2026-11-30T11:00:00Z", worker_id: "gh-watchdog" },
    {
      attempt_id,
      carrier: "MAIL",
      event: "deliver",
      host: "https://ntfy.example.net",
      http_status: 200,
      id: jobId,
      ts: "2026-11-30T11:00:00Z",
    },
    {
      attempt_id,
      claim_id,
      event: "delivery_claim",
      lease_id,
      step: 1,
      ts: "2026-11-30T11:01:00Z",
      wake_checkpoint_fp: WOKEN_AT_STEP_0.slice(0, 16),
      wake_checkpoint_sha256: WOKEN_AT_STEP_0,
      worker_id: "harness-a",
    },
    { attempt_id, event: "checkpoint", ts: "2026-11-30T11:05:00Z", worker_id: "harness-a" },
    { attempt_id, claim_id, event: "ack", ts: "2026-11-30T11:05:00Z", worker_id: "harness-a" },
  ];
}
