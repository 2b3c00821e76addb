import { parseJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { momentOf } from "../../src/job/job.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import { formatTime, type Seconds } from "../../src/job/time.ts";

export const SAMPLE_ID = "harbor-sample-0001";

/** The moment at which the sample job is decided on. */
export const NOON: Seconds = momentOf("2026-11-30T12:00:00Z");

/** A moment beside {@link NOON}, as files write it. */
export function atNoon(plusSeconds = 0): string {
  return formatTime(NOON + plusSeconds);
}

/** The document of a plain job that is due at noon. */
export const SAMPLE_DOCUMENT = {
  job_id: SAMPLE_ID,
  owner_claim: "HARBOR",
  harness: "claude-code",
  objective: "Keep the release train moving.",
  checkpoint: { step: 0 },
  next_wake_at: atNoon(-3600),
  deadline: "2026-12-31T00:00:00Z",
};

/** The text of the sample job's file, with these fields over it. */
export function sampleText(fields: object = {}): string {
  return JSON.stringify({ ...SAMPLE_DOCUMENT, ...fields });
}

/** The sample job, read as from a file, with these fields over it. */
export function sampleJob(fields: Partial<Job> = {}): Job {
  const document = { ...SAMPLE_DOCUMENT, ...fields };
  return parseJob(JSON.stringify(document), document.job_id, `${document.job_id}.json`);
}

/** sha256 of the sample's checkpoint `{"step":0}`, from the fingerprint vectors. */
export const STEP_0_SHA256 = "4b56b1702e711f4cfe292af8d45bfbf284b110ae167ddbb595ee2d713d174746";

/** What a wake of the sample's checkpoint leaves on a job. */
export const WOKEN_AT_STEP_0: Partial<Job> = {
  attempt_count: 1,
  woke_once: true,
  last_wake_at: atNoon(-3600),
  last_wake_checkpoint_sha256: STEP_0_SHA256,
  last_wake_checkpoint_fp: STEP_0_SHA256.slice(0, 16),
};

export function wakeReceipt(plusSeconds: number, fields: Record<string, string> = {}): Receipt {
  return { attempt_id: `${SAMPLE_ID}-a01`, event: "wake", lease_id: "lease-1", ts: atNoon(plusSeconds), ...fields };
}

export function mailReceipt(plusSeconds: number, carrier: "MAIL" | "FAILED" = "MAIL"): Receipt {
  return { attempt_id: `${SAMPLE_ID}-a01`, event: "deliver", carrier, ts: atNoon(plusSeconds) };
}
