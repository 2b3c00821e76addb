import type { Check } from "./check.ts";
import { brokenFilesCheck } from "./checks/broken-files.ts";
import { burnedAttemptsCheck } from "./checks/burned-attempts.ts";
import { configCheck } from "./checks/config.ts";
import { enclosureCheck } from "./checks/enclosure.ts";
import { gitCheck } from "./checks/git.ts";
import { holdsCheck } from "./checks/holds.ts";
import { jobsDirectoryCheck } from "./checks/jobs-directory.ts";
import { lockCheck } from "./checks/lock.ts";
import { failingMailCheck, overdueCheck, unclaimedCheck, waitingForPersonCheck } from "./checks/needs.ts";
import { nodeCheck } from "./checks/node.ts";
import { ntfyCheck } from "./checks/ntfy.ts";
import { remoteCheck } from "./checks/remote.ts";
import { ticksCheck } from "./checks/ticks.ts";
import { workflowCheck } from "./checks/workflow.ts";

/** Every check, in the order in which its findings are told. */
export const CHECKS: readonly Check[] = [
  nodeCheck,
  gitCheck,
  configCheck,
  holdsCheck,
  remoteCheck,
  jobsDirectoryCheck,
  brokenFilesCheck,
  lockCheck,
  ntfyCheck,
  workflowCheck,
  ticksCheck,
  overdueCheck,
  unclaimedCheck,
  burnedAttemptsCheck,
  failingMailCheck,
  waitingForPersonCheck,
  enclosureCheck,
];
