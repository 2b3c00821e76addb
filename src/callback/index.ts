export type { Answer, Applied, Held, Refused } from "../answer.ts";
export { type FleetOptions, type OpenedFleet, openFleet } from "../compose.ts";
export { JobError, type JobErrorCode } from "../errors/job-error.ts";
export type { Fleet } from "../fleet.ts";
export type { Holds } from "../holds/holds.ts";
export type { PlainJson } from "../json/plain-json.ts";
export type { Inbox, InboxTrouble } from "../mail/inbox.ts";
export { formatMail, mailFor, parseMail, type WakeMail } from "../mail/wake-mail.ts";
export type { Caller } from "./caller.ts";
export { type CheckpointAnswer, type CheckpointOptions, checkpointJob } from "./checkpoint-job.ts";
export {
  type Claimed,
  type ConsumeAnswer,
  type ConsumeOptions,
  type ConsumeRefusal,
  consumeDelivery,
  type NotClaimed,
} from "./consume-delivery.ts";
export type { ClaimRef, Usage } from "./decide-on-claim.ts";
export { type FailAnswer, type FailOptions, failDelivery } from "./fail-delivery.ts";
export { type FinishAnswer, type Finished, type FinishOptions, finishDelivery } from "./finish-delivery.ts";
export { type RenewAnswer, type Renewed, type RenewOptions, renewDelivery } from "./renew-delivery.ts";
