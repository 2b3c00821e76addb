import type { Answer } from "../answer.ts";
import type { Claimed } from "../callback/consume-delivery.ts";
import type { Finished } from "../callback/finish-delivery.ts";
import type { ProbeAnswer } from "../idle-resume/probe-idle-resume.ts";
import { FIELD_NAMES } from "../job/fields.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { Row, TickSummary } from "../wake/summary.ts";

type AnswerField = keyof Answer | keyof Claimed<JsonObject, Json> | keyof Finished | keyof ProbeAnswer;

/** What records hold beside the fields of a job. A field that is added to one of these does not compile until it stands here. */
const OTHER_FIELDS = {
  action: true,
  attempt_id: true,
  backoff_count: true,
  checkpoint: true,
  claim_id: true,
  completion_predicate: true,
  deadline: true,
  deliveries: true,
  delivered_count: true,
  error: true,
  error_count: true,
  harness: true,
  hold_count: true,
  instructions: true,
  invoke_model: true,
  invoke_model_count: true,
  job_id: true,
  jobs: true,
  lease: true,
  lease_seconds: true,
  live_resume: true,
  measured: true,
  message: true,
  next_wake_at: true,
  now: true,
  objective: true,
  ok: true,
  process_model_invocations: true,
  reason: true,
  replay: true,
  result_address: true,
  resume_roads: true,
  state: true,
  status: true,
  step: true,
  stop_count: true,
  store: true,
  tokens_left: true,
  wake_count: true,
  worker_id: true,
  written: true,
} as const satisfies Record<keyof Row | keyof TickSummary | AnswerField, true>;

/** What single verbs answer with besides: a job, the holds, what init made, what a refusal is called. */
const VERB_FIELDS = ["branch", "code", "files", "holds", "job", "left_to_do", "moved_jobs", "roads", "schema_version"];

const KNOWN: ReadonlySet<string> = new Set([...FIELD_NAMES, ...Object.keys(OTHER_FIELDS), ...VERB_FIELDS]);

/** Whether some record has a field of this name. */
export function isRecordField(name: string): boolean {
  return KNOWN.has(name);
}
