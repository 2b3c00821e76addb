import type { Answer } from "../answer.ts";
import type { Claimed } from "../callback/consume-delivery.ts";
import type { Finished } from "../callback/finish-delivery.ts";
import type { ProbeAnswer } from "../idle-resume/probe-idle-resume.ts";
import { FIELD_NAMES } from "../job/fields.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { Explanation } from "../report/explanation.ts";
import type { Row, TickSummary } from "../wake/summary.ts";
import type { FleetRecord } from "./fleet-record.ts";

type AnswerField = keyof Answer | keyof Claimed<JsonObject, Json> | keyof Finished | keyof ProbeAnswer;

/** What records hold beside the fields of a job. A field that is added to one of these does not compile until it stands here. */
const OTHER_FIELDS = {
  action: true,
  attempt_count: true,
  attempt_id: true,
  backoff_count: true,
  budget_tokens: true,
  changes: true,
  checkpoint: true,
  claim_id: true,
  completion_predicate: true,
  cost_usd: true,
  deadline: true,
  deliver: true,
  delivered_count: true,
  deliveries: true,
  error: true,
  error_count: true,
  file: true,
  harness: true,
  hold_count: true,
  holder: true,
  instructions: true,
  invoke_model: true,
  invoke_model_count: true,
  job_id: true,
  jobs: true,
  lease: true,
  lease_seconds: true,
  lease_until: true,
  live_resume: true,
  max_attempts: true,
  measured: true,
  message: true,
  need: true,
  next: true,
  next_wake_at: true,
  now: true,
  objective: true,
  ok: true,
  owner_claim: true,
  process_model_invocations: true,
  reason: true,
  replay: true,
  result_address: true,
  resume_roads: true,
  rule: true,
  rules: true,
  since: true,
  state: true,
  status: true,
  step: true,
  stop_count: true,
  store: true,
  tokens_left: true,
  tokens_used: true,
  wake_count: true,
  worker_id: true,
  written: true,
} as const satisfies Record<keyof Row | keyof TickSummary | AnswerField | keyof FleetRecord | keyof Explanation, true>;

/** What single verbs answer with besides: a job, the holds, what init made, what a refusal is called. */
const VERB_FIELDS = [
  "branch",
  "code",
  "files",
  "findings",
  "holds",
  "job",
  "job_count",
  "left_to_do",
  "moved_jobs",
  "need_a_person",
  "roads",
  "schema_version",
  "sums",
  "trouble_count",
];

const KNOWN: ReadonlySet<string> = new Set([...FIELD_NAMES, ...Object.keys(OTHER_FIELDS), ...VERB_FIELDS]);

/** Whether some record has a field of this name. */
export function isRecordField(name: string): boolean {
  return KNOWN.has(name);
}
