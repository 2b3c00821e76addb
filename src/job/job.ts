import type { Json, JsonObject } from "../json/json.ts";
import type { Receipt } from "./receipt.ts";
import { parseTime, type Seconds } from "./time.ts";

/** Where a job stands. `docs/state-machine.md` has a paragraph on each and who moves it on. */
export const STATUSES = ["OPEN", "LEASED", "BLOCKED", "DONE", "CANCELLED", "EXHAUSTED"] as const;
export type Status = (typeof STATUSES)[number];
export type TerminalStatus = "DONE" | "CANCELLED" | "EXHAUSTED";

export const BLOCKER_KINDS = ["external_authority", "unavailable_state"] as const;
export type BlockerKind = (typeof BLOCKER_KINDS)[number];

/** Why a tick closed a job for good. */
export type ExhaustReason = "DEADLINE" | "BUDGET" | "MAX_ATTEMPTS" | "NO_PROGRESS";

export interface Lease {
  /** The fencing token: fresh for every wake and every repeated offer. */
  readonly lease_id: string;
  readonly holder: string;
  readonly until: string;
}

export interface Blocker {
  readonly kind: BlockerKind;
  readonly detail: string;
  /** First 16 hex digits of the sha256 over `{detail, kind}`. */
  readonly fingerprint: string;
}

export type CompletionPredicate =
  | { readonly type: "status_done" }
  | { readonly type: "checkpoint_equals"; readonly path?: string; readonly value: Json }
  | { readonly type: "result_address_on_head" };

/** A job as its file holds it, defaults filled in (contract §2). Keys that this version does not know stay on it. */
export interface Job {
  readonly job_id: string;
  readonly owner_claim: string;
  readonly harness: string;
  /** One line: a title. */
  readonly objective: string;
  /** The prompt: any text, at most 64 KiB; handed to the harness on CLAIMED, never mailed. */
  readonly instructions: string;
  readonly checkpoint: JsonObject;
  readonly next_wake_at: string;
  readonly deadline: string;
  readonly backoff_seconds: number;
  readonly max_backoff_seconds: number;
  readonly lease_seconds: number;
  readonly max_attempts: number;
  readonly attempt_count: number;
  readonly budget_tokens: number;
  readonly tokens_used: number;
  readonly completion_predicate: CompletionPredicate;
  readonly result_address: string;
  readonly status: Status;
  readonly lease: Lease | null;
  readonly blocker: Blocker | null;
  readonly event_receipts: readonly Receipt[];
  readonly woke_once: boolean;
  readonly in_backoff: boolean;
  readonly no_progress_count: number;
  readonly unclaimed_count: number;
  readonly last_wake_at?: string | null;
  readonly last_wake_checkpoint_fp?: string | null;
  readonly last_wake_checkpoint_sha256?: string | null;
  readonly last_blocker_fingerprint?: string | null;
  readonly created_at?: string | null;
  readonly updated_at?: string | null;
  readonly completed_at?: string | null;
  readonly cancel_reason?: string | null;
  readonly exhausted_reason?: string | null;
  readonly result?: Json;
}

const IS_TERMINAL = {
  OPEN: false,
  LEASED: false,
  BLOCKED: false,
  DONE: true,
  CANCELLED: true,
  EXHAUSTED: true,
} as const satisfies Record<Status, boolean>;

export function isTerminal(status: Status): status is TerminalStatus {
  return IS_TERMINAL[status];
}

/** The moment that a checked time field names. */
export function momentOf(time: string): Seconds {
  const moment = parseTime(time);
  if (moment === undefined) throw new RangeError(`"${time}" passed the schema and is not a time`);
  return moment;
}

export function isLeaseLive(job: Job, now: Seconds): boolean {
  return job.lease !== null && momentOf(job.lease.until) > now;
}
