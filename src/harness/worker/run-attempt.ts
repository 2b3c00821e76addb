import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renewDelivery } from "../../callback/renew-delivery.ts";
import { ioError } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import { momentOf } from "../../job/job.ts";
import { RunLog } from "../enclosure/run-log.ts";
import type { GivenAttempt, Program } from "../program.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { keepLease, type Renewal } from "./keep-lease.ts";
import { LeaseClock } from "./lease-clock.ts";
import { makeFiles, type OwnClaim, type RunFiles, removeTree } from "./run-files.ts";
import type { RunPorts, StopRequest } from "./run-ports.ts";
import { runProgram } from "./run-program.ts";
import type { SettledRun, Settlement } from "./settlement.ts";
import { holdOverWorker } from "./worker-hold.ts";

/** What ended a run. */
export interface RanAttempt {
  readonly run: SettledRun;
  readonly logFile: string | undefined;
  /** What is worth telling beside: a log that is not whole, a worktree that was kept. */
  readonly notes: readonly string[];
}

export interface AttemptHooks {
  readonly stopRequest: StopRequest;
  /** Keeps what the run came to on disk, before anything else is done. Throws JobError IO. */
  readonly keep: (run: SettledRun) => void;
}

/**
 * Runs one claimed attempt from its workspace to its settlement (contract §11). At most one model per lease: the program is
 * asked to end, and then killed, before the end of the last lease that the store confirmed. `claimedAtMs` is when the claim
 * was first tried. Never throws for what a run can do; a worker that cannot prepare the run fails the attempt with the reason.
 */
export async function runAttempt(
  ports: RunPorts,
  claim: OwnClaim,
  claimedAtMs: number,
  { stopRequest, keep }: AttemptHooks,
): Promise<RanAttempt> {
  const notes: string[] = [];
  let workspace: Workspace | undefined;
  let files: RunFiles | undefined;
  let program: Program | undefined;
  const leaseClock = new LeaseClock(claim.lease_seconds, claimedAtMs, momentOf(claim.lease.until));
  // From the claim on: a workspace can take longer to make than the lease lasts.
  const lease = keepLease(leaseClock, ports.timing, () => renew(ports, claim, program?.usage() ?? {}));
  try {
    files = makeFiles(ports.runsDirectory, claim);
    workspace = await ports.openWorkspace(claim.attempt_id);
    const given = giveAttempt(ports, claim, files, workspace);
    const logFile = join(ports.logsDirectory, `${claim.attempt_id}.log`);
    const log = openLog(logFile);
    program = await ports.programFor(given);
    const run = await runProgram(ports, claim, lease, stopRequest, { program, workspace, files, log });
    if (log.fault !== undefined) notes.push(log.fault.message);
    keepOrNote(keep, run, notes);
    return { run, logFile, notes };
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    const settlement: Settlement = { kind: "fail", detail: `the run could not be started: ${error.message}` };
    const run = { settlement, usage: {} };
    keepOrNote(keep, run, notes);
    return { run, logFile: undefined, notes };
  } finally {
    await lease.letGo();
    const end = await workspace?.close();
    if (end?.state === "kept") notes.push(`the worktree ${end.directory} was kept: ${end.why}`);
    notes.push(...(end?.warnings ?? []));
    if (files !== undefined) removeTree(files.directory);
  }
}

/** Where a full disk keeps nothing, the store is told at once all the same. */
function keepOrNote(keep: AttemptHooks["keep"], run: SettledRun, notes: string[]): void {
  try {
    keep(run);
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    notes.push(error.message);
  }
}

function giveAttempt(ports: RunPorts, claim: OwnClaim, files: RunFiles, workspace: Workspace): GivenAttempt {
  const { job_id, attempt_id, objective, checkpoint, step, deadline, tokens_left } = claim;
  const prompt = ports.promptOf(claim, files);
  try {
    writeFileSync(files.prompt, prompt);
  } catch (cause) {
    throw ioError(files.prompt, cause);
  }
  const env = ports.environmentFor({
    HARNESS_WAKE_JOB_ID: job_id,
    HARNESS_WAKE_ATTEMPT_ID: attempt_id,
    HARNESS_WAKE_OBJECTIVE: objective,
    HARNESS_WAKE_PROMPT_FILE: files.prompt,
    HARNESS_WAKE_CHECKPOINT_FILE: files.checkpoint,
    HARNESS_WAKE_OUTCOME_FILE: files.outcome,
    HARNESS_WAKE_DEADLINE: deadline,
    HARNESS_WAKE_TOKENS_LEFT: `${tokens_left}`,
  });
  return {
    job_id,
    attempt_id,
    objective,
    checkpoint,
    step,
    deadline,
    tokens_left,
    prompt,
    promptFile: files.prompt,
    checkpointFile: files.checkpoint,
    outcomeFile: files.outcome,
    directory: workspace.directory,
    writable: workspace.mounts.flatMap(({ path, access }) => (access === "write" ? [path] : [])),
    timeLimitMs: ports.timeLimitMs,
    env,
  };
}

async function renew(ports: RunPorts, claim: OwnClaim, usage: SettledRun["usage"]): Promise<Renewal> {
  const { fleet, claimant } = ports;
  // Of the names that a hold covers this one alone is not told to the store.
  const hold = ports.adapterId === undefined ? undefined : await holdOverWorker(ports);
  if (hold !== undefined) return { kind: "lost", why: `${hold.name}: ${hold.note}` };
  const answer = await renewDelivery(fleet, claim, { ...claimant, ...usage });
  if (answer.state === "RENEWED") return { kind: "renewed", until: momentOf(answer.lease.until) };
  return { kind: "lost", why: `${answer.state}: ${answer.message ?? "the lease is lost"}` };
}

/** A log of the same attempt can be there from a worker that died; it is that run's, and makes place. */
function openLog(path: string): RunLog {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    throw ioError(path, cause);
  }
  return new RunLog(path);
}
