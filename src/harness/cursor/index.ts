export type {
  AdapterHost,
  HarnessAdapter,
  HarnessEvent,
  HeldAdapter,
  HostedAdapter,
  Provisioned,
  RunHooks,
  RunOutcome,
  RunRequest,
  RunResult,
  SelfTest,
  SelfTestCheck,
} from "../harness.ts";
export { type ThisHostOptions, thisHost } from "../this-host.ts";
export { cursor } from "./cursor.ts";
export type { CursorOptions } from "./cursor-options.ts";
