import type { Json } from "../json/json.ts";
import type { HoldName } from "./hold.ts";

/** One entry of a job's history as its file holds it. What else it holds depends on its event, and is checked where it is read. */
export interface Receipt {
  /** `<job_id>-aNN` for an attempt; an observation may carry any outside receipt id. */
  readonly attempt_id: string;
  readonly event: string;
  readonly ts: string;
  readonly [key: string]: Json;
}

/** What the program writes into the receipts of each event, beside `attempt_id`, `event` and `ts`. */
interface ReceiptFields {
  /** One offer. `mail: "owed"` promises mail; `count` is how often the attempt was offered, absent for once. */
  wake: { readonly lease_id: string; readonly worker_id: string; readonly mail?: "owed"; readonly count?: number };
  /** What became of an attempt's mail. `count` is how often it went so in a row; `host` is an origin. */
  deliver: {
    readonly carrier: "MAIL" | "FAILED";
    readonly count: number;
    readonly host: string;
    readonly http_status: number | null;
    readonly id: string;
    readonly error?: string;
  };
  auto_complete: Readonly<Record<never, never>>;
  exhaust: { readonly reason: string };
  /** `tokens_used` and `cost_usd` are the claimant's greatest report; `renewed_at` its last renewal. */
  delivery_claim: {
    readonly claim_id: string;
    readonly lease_id: string;
    readonly step: Json;
    readonly tokens_used: number;
    readonly wake_checkpoint_fp: string | null;
    readonly wake_checkpoint_sha256: string | null;
    readonly worker_id: string;
    readonly cost_usd?: number;
    readonly renewed_at?: string;
  };
  checkpoint: { readonly step: Json; readonly worker_id: string };
  /** `outcome_sha256` is what a repeated finish is known by. */
  ack: {
    readonly claim_id: string;
    readonly next_wake_at: string;
    readonly outcome_sha256: string;
    readonly state: "CHECKPOINT" | "DONE";
    readonly step: Json;
    readonly worker_id: string;
  };
  failed: { readonly claim_id: string; readonly detail: string; readonly worker_id: string };
  complete: { readonly result_address: string; readonly worker_id?: string };
  cancel: { readonly reason: string };
  release: Readonly<Record<never, never>>;
}

export type EventName = keyof ReceiptFields;

interface EventRule {
  readonly writer: "tick" | "harness" | "owner";
  /** Whether a receipt of this event claims its attempt (contract §1). */
  readonly claims: boolean;
  /** Whether an observation from outside may carry it: one that the program acts on would forge a move (contract §6). */
  readonly appendable: boolean;
}

/** Every event that the program writes, beside those of holds. */
export const EVENTS = {
  wake: { writer: "tick", claims: false, appendable: false },
  deliver: { writer: "tick", claims: false, appendable: false },
  auto_complete: { writer: "tick", claims: false, appendable: false },
  exhaust: { writer: "tick", claims: false, appendable: false },
  delivery_claim: { writer: "harness", claims: true, appendable: false },
  checkpoint: { writer: "harness", claims: true, appendable: false },
  ack: { writer: "harness", claims: true, appendable: false },
  failed: { writer: "harness", claims: true, appendable: false },
  complete: { writer: "harness", claims: false, appendable: false },
  cancel: { writer: "owner", claims: false, appendable: false },
  release: { writer: "owner", claims: false, appendable: false },
} as const satisfies Record<EventName, EventRule>;

type ReceiptHead<Event> = {
  readonly attempt_id: string;
  readonly event: Event;
  readonly ts: string;
};

/** A held job's local receipt; its event is the hold's name in lower case (contract §5). */
export type HoldReceipt = ReceiptHead<Lowercase<HoldName>> & { readonly carrier: HoldName; readonly id: string };

/** A receipt that the program writes: the discriminated union over every event. */
export type WrittenReceipt<Event extends EventName = EventName> =
  | { [E in Event]: ReceiptHead<E> & ReceiptFields[E] }[Event]
  | (Event extends "wake" ? HoldReceipt : never);

/** A receipt of a known event as it stands in a file, where a hand may have changed any field of it. */
export type StoredReceipt<Event extends EventName> = ReceiptHead<Event> & {
  readonly [Field in keyof ReceiptFields[Event]]?: Json;
} & { readonly [key: string]: Json };

export function isEvent<Event extends EventName>(receipt: Receipt, event: Event): receipt is StoredReceipt<Event> {
  return receipt.event === event;
}

export function claimsItsAttempt(receipt: Receipt): boolean {
  return isKnownEvent(receipt.event) && EVENTS[receipt.event].claims;
}

const HOLD_EVENT = /_hold$/;

/** Whether a tick wrote it, so that its time is a tick's. */
export function isByTick({ event }: Receipt): boolean {
  return isKnownEvent(event) ? EVENTS[event].writer === "tick" : HOLD_EVENT.test(event);
}

/** Whether an observation may carry this event. Spelling and case do not get it past the table. */
export function isAppendable(event: string): boolean {
  const name = event.trim().toLowerCase();
  if (HOLD_EVENT.test(name)) return false;
  return !isKnownEvent(name) || EVENTS[name].appendable;
}

function isKnownEvent(event: string): event is EventName {
  return Object.hasOwn(EVENTS, event);
}
