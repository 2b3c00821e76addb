export { type FleetOptions, type OpenedFleet, openFleet } from "../compose.ts";
export { blockJob, cancelJob, unblockJob, updateJob } from "./change-job.ts";
export { type CreateAnswer, type CreateOptions, createJob } from "./create-job.ts";
export type { Answer, Fleet } from "./fleet.ts";
