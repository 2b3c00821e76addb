// What the records that the command line prints hold (contract §9). Each is complete by its type's keys, or it does not compile.
import type { Answer } from "../src/answer.ts";
import type { Claimed } from "../src/callback/consume-delivery.ts";
import type { CheckedFinding } from "../src/cli/doctor/run-checks.ts";
import type { FleetRecord } from "../src/cli/fleet-record.ts";
import { STATUSES } from "../src/job/job.ts";
import type { Json, JsonObject } from "../src/json/json.ts";
import { z } from "../src/json/zod.ts";
import type { Explanation, RuleStep } from "../src/report/explanation.ts";
import type { FleetSums } from "../src/report/fleet-view.ts";
import { STATES } from "../src/report/job-state.ts";
import type { Delivery, Row, TickSummary } from "../src/wake/summary.ts";

type Rules<Shape> = { readonly [Field in keyof Required<Shape>]: z.ZodMiniType };

const maybeText = z.nullable(z.string());
const maybeNumber = z.nullable(z.number());
const anyObject = z.record(z.string(), z.unknown());
/** Raised when a field goes away or changes its meaning. */
const schema_version = z.literal(1);

const row = z.looseObject({
  job_id: maybeText,
  action: z.enum(["WAKE", "STOP", "BACKOFF", "HOLD", "ERROR"]),
  reason: z.string(),
  invoke_model: z.boolean(),
  status: z.nullable(z.enum(STATUSES)),
  harness: maybeText,
  next_wake_at: maybeText,
  attempt_id: z.optional(z.string()),
  error: z.optional(z.looseObject({ code: z.string(), message: z.string(), file: maybeText })),
} satisfies Rules<Row>);

const delivery = z.looseObject({
  ok: z.boolean(),
  state: z.string(),
  job_id: z.string(),
  attempt_id: z.string(),
  host: z.optional(z.string()),
  http_status: z.optional(z.number()),
  error: z.optional(z.string()),
  road: z.optional(z.literal("none")),
} satisfies Rules<Delivery>);

const tick = z.looseObject({
  ok: z.boolean(),
  state: z.literal("TICKED"),
  now: z.string(),
  worker_id: z.string(),
  store: z.enum(["file", "git"]),
  written: z.boolean(),
  jobs: z.array(row),
  wake_count: z.int(),
  stop_count: z.int(),
  backoff_count: z.int(),
  hold_count: z.int(),
  error_count: z.int(),
  invoke_model_count: z.int(),
  deliveries: z.array(delivery),
  delivered_count: z.int(),
  process_model_invocations: z.literal(0),
  invoke_model: z.literal(false),
  schema_version,
} satisfies Rules<TickSummary> & { readonly schema_version: z.ZodMiniType });

const seen = z.looseObject({
  job_id: maybeText,
  state: z.enum(STATES),
  need: z.nullable(anyObject),
  since: maybeText,
  next: z.nullable(z.looseObject({ at: z.string(), action: z.string(), reason: z.string() })),
  holder: maybeText,
  lease_until: maybeText,
  status: z.string(),
  owner_claim: maybeText,
  harness: maybeText,
  objective: maybeText,
  attempt_count: maybeNumber,
  max_attempts: maybeNumber,
  next_wake_at: maybeText,
  deadline: maybeText,
  tokens_used: maybeNumber,
  budget_tokens: maybeNumber,
  cost_usd: maybeNumber,
  message: maybeText,
  file: maybeText,
} satisfies Rules<FleetRecord>);

const sums = z.looseObject({
  jobs: z.int(),
  need_a_person: z.int(),
  by_state: z.record(z.string(), z.int()),
  tokens_used: z.number(),
  cost_usd: maybeNumber,
} satisfies Rules<FleetSums>);

const list = z.looseObject({ ok: z.boolean(), state: z.literal("LISTED"), jobs: z.array(seen), schema_version });

const status = z.looseObject({
  ok: z.boolean(),
  state: z.literal("STATUS"),
  now: z.string(),
  store: z.enum(["file", "git"]),
  jobs: z.array(seen),
  sums,
  schema_version,
});

const step = z.looseObject({
  rule: z.string(),
  when: z.string(),
  outcome: z.enum(["passed", "went on", "matched"]),
  compared: z.record(z.string(), z.unknown()),
} satisfies Rules<RuleStep>);

const why = z.looseObject({
  ok: z.literal(true),
  state: z.literal("EXPLAINED"),
  job_id: z.string(),
  now: z.string(),
  deliver: z.boolean(),
  action: z.string(),
  reason: z.string(),
  rule: z.string(),
  rules: z.array(step),
  changes: z.nullable(z.looseObject({ at: z.string(), action: z.string(), reason: z.string(), rule: z.string() })),
  schema_version,
} satisfies Rules<Explanation> & { readonly [Field in "ok" | "state" | "schema_version"]: z.ZodMiniType });

const finding = z.looseObject({
  check: z.string(),
  level: z.enum(["ok", "note", "trouble"]),
  found: z.string(),
  means: z.optional(z.string()),
  remedy: z.optional(z.union([z.looseObject({ command: z.string() }), z.looseObject({ decision: z.string() })])),
} satisfies Rules<CheckedFinding>);

const doctor = z.looseObject({
  ok: z.boolean(),
  state: z.literal("EXAMINED"),
  now: z.string(),
  trouble_count: z.int(),
  findings: z.array(finding),
  schema_version,
});

const answerRules = {
  ok: z.boolean(),
  state: z.string(),
  attempt_id: z.optional(z.string()),
  invoke_model: z.boolean(),
  job_id: z.string(),
  replay: z.optional(z.boolean()),
  message: z.optional(z.string()),
} satisfies Rules<Answer>;

const claimed = z.looseObject({
  ...answerRules,
  ok: z.literal(true),
  state: z.literal("CLAIMED"),
  invoke_model: z.literal(true),
  attempt_id: z.string(),
  claim_id: z.string(),
  step: z.unknown(),
  lease: z.looseObject({ lease_id: z.string(), holder: z.string(), until: z.string() }),
  lease_seconds: z.int(),
  checkpoint: anyObject,
  objective: z.string(),
  instructions: z.string(),
  deadline: z.string(),
  tokens_left: z.number(),
  completion_predicate: anyObject,
  result_address: z.string(),
  schema_version,
} satisfies Rules<Claimed<JsonObject, Json>> & { readonly schema_version: z.ZodMiniType });

const error = z.looseObject({
  ok: z.literal(false),
  code: z.string(),
  message: z.string(),
  file: z.optional(z.string()),
  field: z.optional(z.string()),
  process_model_invocations: z.literal(0),
  invoke_model: z.literal(false),
  schema_version,
});

/** By what they are answers to; `answer` is what every call on one job gives at least. */
export const RECORD_RULES = {
  tick,
  list,
  status,
  why,
  doctor,
  claimed,
  answer: z.looseObject({ ...answerRules, schema_version }),
  error,
} as const;
