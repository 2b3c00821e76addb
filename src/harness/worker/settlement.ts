import type { Usage } from "../../callback/decide-on-claim.ts";
import type { FinishOptions } from "../../callback/finish-delivery.ts";

/** What a run came to, as it is kept on disk until the store took it. */
export type Settlement =
  /** It says what it left. */
  | { readonly kind: "finish"; readonly outcome: FinishedOutcome }
  /** It ended well and left nothing: done where its page stands, else a plain step, to `checkpoint` where that is given. */
  | { readonly kind: "step"; readonly checkpoint?: Readonly<Record<string, unknown>> }
  | { readonly kind: "fail"; readonly detail: string };

/** What a finish takes from an outcome. */
export type FinishedOutcome = Pick<FinishOptions, "checkpoint" | "nextWakeAt" | "result" | "resultAddress" | "blocker">;

/** A settlement with what the run used. */
export interface SettledRun {
  readonly settlement: Settlement;
  readonly usage: Usage;
}
