export * from "./callback/index.ts";
export { type ProbeAnswer, type ProbeOptions, probeIdleResume, type ResumeRoad } from "./idle-resume/probe-idle-resume.ts";
export { decide, type PageState, type TickFacts } from "./job/decide.ts";
export { CURSOR_QUOTA_HOLD, type HoldName, type HoldRule } from "./job/hold.ts";
export type { Blocker, BlockerKind, CompletionPredicate, Job, Lease, Status } from "./job/job.ts";
export type { Observation } from "./job/moves/observe.ts";
export type { Receipt } from "./job/receipt.ts";
export { type AppendAnswer, appendReceipt } from "./owner/append-receipt.ts";
export {
  blockJob,
  type CancelAnswer,
  cancelJob,
  releaseJob,
  type UpdateAnswer,
  type UpdateOptions,
  unblockJob,
  updateJob,
} from "./owner/change-job.ts";
export { type CompleteAnswer, type CompleteOptions, completeJob } from "./owner/complete-job.ts";
export { type CreateAnswer, type Created, type CreateOptions, createJob } from "./owner/create-job.ts";
export type { NewJobFields, OwnerFields } from "./owner/owner-fields.ts";
export { type Explanation, explain, type RuleStep } from "./report/explanation.ts";
export type { JobState } from "./report/job-state.ts";
export { type JobView, viewOf } from "./report/job-view.ts";
export type { Need } from "./report/need.ts";
export { type AttemptTimeline, type Timeline, type TimelineEvent, timelineOf } from "./report/timeline.ts";
export { FileJobStore } from "./store/file-job-store.ts";
export { GitJobStore, type GitJobStoreOptions } from "./store/git-job-store.ts";
export type { Found, JobEntry, JobStore, Outcome, Step, Write } from "./store/job-store.ts";
export { MemoryJobStore } from "./store/memory-job-store.ts";
export { runTick, type TickOptions, type TickPorts } from "./wake/run-tick.ts";
export type { Delivery, Row, TickSummary } from "./wake/summary.ts";
