import type { Job } from "../../src/job/job.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import { TRAIN } from "./job-builder.ts";
import { atNoon } from "./noon.ts";

/** sha256 of the checkpoint `{"step":0}`, from the fingerprint vectors. */
export const STEP_0_SHA256 = "4b56b1702e711f4cfe292af8d45bfbf284b110ae167ddbb595ee2d713d174746";

/** What a wake with the checkpoint `{"step":0}` leaves on a job. */
export const WOKEN_AT_STEP_0: Partial<Job> = {
  attempt_count: 1,
  woke_once: true,
  last_wake_at: atNoon(-3600),
  last_wake_checkpoint_sha256: STEP_0_SHA256,
  last_wake_checkpoint_fp: STEP_0_SHA256.slice(0, 16),
};

export function wakeReceipt(plusSeconds: number, fields: Record<string, string> = {}): Receipt {
  return { attempt_id: `${TRAIN}-a01`, event: "wake", lease_id: "lease-1", ts: atNoon(plusSeconds), ...fields };
}

export function mailReceipt(plusSeconds: number, carrier: "MAIL" | "FAILED" = "MAIL"): Receipt {
  return { attempt_id: `${TRAIN}-a01`, event: "deliver", carrier, ts: atNoon(plusSeconds) };
}
