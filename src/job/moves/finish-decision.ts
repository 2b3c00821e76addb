import type { Json } from "../../json/json.ts";
import type { PageState } from "../decide.ts";
import type { Job, TerminalStatus } from "../job.ts";
import type { Seconds } from "../time.ts";
import type { Report } from "./report.ts";

export interface FinishFacts {
  readonly now: Seconds;
  readonly pages: ReadonlyMap<string, PageState>;
  readonly report: Report;
  /** sha256 of the call's outcome, by which a repeated call is known. */
  readonly outcome_sha256: string;
}

export type FinishRefusal = "NOT_DURABLE" | "PREDICATE" | "STALE_ATTEMPT" | "ALREADY_FINISHED" | TerminalStatus;

/** `job` is the moved job; for a refusal and a replay with the claimant's report noted, where there is news in it. */
export type FinishDecision =
  /** Find out about this page, then decide again. */
  | { readonly kind: "ask_page"; readonly address: string }
  /** A result hangs on a page that nobody can tell. */
  | { readonly kind: "cannot_tell"; readonly address: string }
  | { readonly kind: "refused"; readonly state: FinishRefusal; readonly message: string; readonly job: Job }
  | Finished;

export interface Finished {
  readonly kind: "finished";
  readonly state: "CHECKPOINT" | "DONE";
  readonly replay: boolean;
  readonly job: Job;
  readonly step: Json;
  readonly next_wake_at: string;
  readonly message?: string;
}
