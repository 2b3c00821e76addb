import type { Job } from "./job.ts";
import {
  anything,
  blocker,
  flag,
  integer,
  type Kind,
  lease,
  object,
  orNull,
  predicate,
  prompt,
  receipts,
  status,
  text,
  textLike,
  time,
} from "./kinds.ts";
import { ATTEMPTS_MAX, SECONDS_MAX } from "./limits.ts";
import { HARNESS, JOB_ID, JOB_ID_RULE, OBJECTIVE, OWNER_CLAIM, RESULT_ADDRESS, SHA256, SHORT_FINGERPRINT } from "./patterns.ts";

/** What a file that leaves the field out means by that. */
type Absence<Value> =
  /** Nothing: it is no job. */
  | { readonly absence: "refused" }
  | { readonly absence: "default"; readonly default: Value }
  /** Nothing yet: the field stays away until a transition writes it. */
  | { readonly absence: "kept" };

type FieldRule<Value> = Absence<Value> & {
  readonly kind: Kind;
  /** Who sets it: the owner by create and update, or the program's transitions alone. */
  readonly writer: "owner" | "program";
  /** Whether a harness at work relies on it, so that its owner may not change it under a live lease (contract §6). */
  readonly shielded: boolean;
};

const seconds = integer(1, SECONDS_MAX, "seconds");
const count = integer(0, Number.MAX_SAFE_INTEGER);

/**
 * Every field of a job (contract §2), in the order in which faults are told. Adding a field to {@link Job} does not compile
 * until all of this is decided for it; defaults, the checks, the lists of times and of owner's fields are read off here.
 */
export const FIELDS = {
  job_id: { kind: textLike(JOB_ID, `must be ${JOB_ID_RULE}`), absence: "refused", writer: "owner", shielded: false },
  owner_claim: {
    kind: textLike(OWNER_CLAIM, "must be 2 to 32 capitals, digits or underscores, and start with a capital"),
    absence: "refused",
    writer: "owner",
    shielded: false,
  },
  harness: {
    kind: textLike(HARNESS, "must be one line of 1 to 200 printable ASCII characters"),
    absence: "refused",
    writer: "owner",
    shielded: true,
  },
  objective: {
    kind: textLike(OBJECTIVE, "must be one line of 1 to 1000 characters"),
    absence: "refused",
    writer: "owner",
    shielded: false,
  },
  instructions: { kind: prompt, absence: "default", default: "", writer: "owner", shielded: false },
  checkpoint: { kind: object, absence: "default", default: {}, writer: "owner", shielded: true },
  next_wake_at: { kind: time, absence: "refused", writer: "owner", shielded: false },
  deadline: { kind: time, absence: "refused", writer: "owner", shielded: false },
  backoff_seconds: { kind: seconds, absence: "default", default: 60, writer: "owner", shielded: false },
  max_backoff_seconds: { kind: seconds, absence: "default", default: 3600, writer: "owner", shielded: false },
  lease_seconds: { kind: seconds, absence: "default", default: 900, writer: "owner", shielded: false },
  max_attempts: { kind: integer(1, ATTEMPTS_MAX), absence: "default", default: 8, writer: "owner", shielded: false },
  attempt_count: { kind: count, absence: "default", default: 0, writer: "program", shielded: false },
  budget_tokens: {
    kind: integer(1, Number.MAX_SAFE_INTEGER),
    absence: "default",
    default: 100_000,
    writer: "owner",
    shielded: false,
  },
  tokens_used: { kind: count, absence: "default", default: 0, writer: "program", shielded: false },
  completion_predicate: {
    kind: predicate,
    absence: "default",
    default: { type: "status_done" },
    writer: "owner",
    shielded: true,
  },
  result_address: {
    kind: textLike(RESULT_ADDRESS, 'must be "" or the id of a page, formed like a job_id'),
    absence: "default",
    default: "",
    writer: "owner",
    shielded: true,
  },
  status: { kind: status, absence: "default", default: "OPEN", writer: "program", shielded: false },
  lease: { kind: orNull(lease), absence: "default", default: null, writer: "program", shielded: false },
  blocker: { kind: orNull(blocker), absence: "default", default: null, writer: "program", shielded: false },
  event_receipts: { kind: receipts, absence: "default", default: [], writer: "program", shielded: false },
  woke_once: { kind: flag, absence: "default", default: false, writer: "program", shielded: false },
  in_backoff: { kind: flag, absence: "default", default: false, writer: "program", shielded: false },
  no_progress_count: { kind: count, absence: "default", default: 0, writer: "program", shielded: false },
  unclaimed_count: { kind: count, absence: "default", default: 0, writer: "program", shielded: false },
  last_wake_at: { kind: orNull(time), absence: "kept", writer: "program", shielded: false },
  last_wake_checkpoint_fp: {
    kind: orNull(textLike(SHORT_FINGERPRINT, "must be 16 hex digits")),
    absence: "kept",
    writer: "program",
    shielded: false,
  },
  last_wake_checkpoint_sha256: {
    kind: orNull(textLike(SHA256, "must be 64 hex digits")),
    absence: "kept",
    writer: "program",
    shielded: false,
  },
  last_blocker_fingerprint: { kind: orNull(text), absence: "kept", writer: "program", shielded: false },
  created_at: { kind: orNull(time), absence: "kept", writer: "program", shielded: false },
  updated_at: { kind: orNull(time), absence: "kept", writer: "program", shielded: false },
  completed_at: { kind: orNull(time), absence: "kept", writer: "program", shielded: false },
  cancel_reason: { kind: orNull(text), absence: "kept", writer: "program", shielded: false },
  exhausted_reason: { kind: orNull(text), absence: "kept", writer: "program", shielded: false },
  result: { kind: anything, absence: "kept", writer: "program", shielded: false },
} as const satisfies { readonly [Name in keyof Required<Job>]: FieldRule<Required<Job>[Name]> };

export type FieldName = keyof typeof FIELDS;

/** The fields that an owner gives to `create` and changes by `update`. */
export type OwnerFieldName = {
  [Name in FieldName]: (typeof FIELDS)[Name]["writer"] extends "owner" ? Name : never;
}[FieldName];

type DefaultedName = {
  [Name in FieldName]: (typeof FIELDS)[Name]["absence"] extends "default" ? Name : never;
}[FieldName];

/** The names of all fields, in the table's order. */
export const FIELD_NAMES: readonly FieldName[] = Object.keys(FIELDS).filter(isFieldName);

function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name);
}

export function fieldsOfKind(...kinds: readonly Kind["name"][]): readonly FieldName[] {
  return FIELD_NAMES.filter((name) => kinds.includes(FIELDS[name].kind.name));
}

export function isOwnersField(name: FieldName): name is OwnerFieldName {
  return FIELDS[name].writer === "owner";
}

export function isDefaulted(name: FieldName): name is DefaultedName {
  return FIELDS[name].absence === "default";
}

/** What a job file may leave out, and what that means. */
export const JOB_DEFAULTS: Readonly<Partial<Record<FieldName, unknown>>> = Object.fromEntries(
  FIELD_NAMES.filter(isDefaulted).map((name) => [name, FIELDS[name].default]),
);
