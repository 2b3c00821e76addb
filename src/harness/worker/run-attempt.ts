import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Usage } from "../../callback/decide-on-claim.ts";
import { renewDelivery } from "../../callback/renew-delivery.ts";
import { ioError } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import type { Fleet } from "../../fleet.ts";
import { momentOf } from "../../job/job.ts";
import { LastLines } from "../enclosure/last-lines.ts";
import type { Mount } from "../enclosure/mount.ts";
import type { EnclosedCommand, EnclosedRun, RunTiming } from "../enclosure/run-enclosed.ts";
import { RunLog } from "../enclosure/run-log.ts";
import type { GivenAttempt, Program, ProgramFor } from "../program.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { keepLease, type Renewal } from "./keep-lease.ts";
import { LeaseClock } from "./lease-clock.ts";
import { makeFiles, type OwnClaim, type RunFiles, removeTree } from "./run-files.ts";
import type { Claimant } from "./settle.ts";
import type { SettledRun, Settlement } from "./settlement.ts";
import { settlementOf } from "./settlement-of.ts";

/** What a worker needs to run attempts. */
export interface RunPorts {
  readonly fleet: Fleet;
  readonly claimant: Claimant;
  readonly timing: RunTiming;
  /** Starts a command in a cage of its own. */
  readonly launch: (command: EnclosedCommand) => Pick<EnclosedRun, "ended" | "stop">;
  readonly openWorkspace: (attemptId: string) => Promise<Workspace>;
  readonly programFor: ProgramFor;
  /** The prompt of an attempt, once its files have names. */
  readonly promptOf: (claim: OwnClaim, files: RunFiles) => string;
  /** The environment that every run gets beside HARNESS_WAKE_*. */
  readonly environmentFor: (told: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** What every run may write, below what its workspace and its program say. */
  readonly mounts: readonly Mount[];
  /** Directories of the worker's own, one for the files of runs and one for logs. */
  readonly runsDirectory: string;
  readonly logsDirectory: string;
  /** How long a run may take, in milliseconds. */
  readonly timeLimitMs: number;
}

/** What ended a run. */
export interface RanAttempt {
  readonly run: SettledRun;
  readonly logFile: string | undefined;
  /** What is worth telling beside: a log that is not whole, a worktree that was kept. */
  readonly notes: readonly string[];
}

/** Asks a run to end from outside: at this monotonic millisecond, and why. Undefined while nobody asks. */
export type StopRequest = () => { readonly atMs: number; readonly why: string } | undefined;

export interface AttemptHooks {
  readonly stopRequest: StopRequest;
  /** Keeps what the run came to on disk, before anything else is done. Throws JobError IO. */
  readonly keep: (run: SettledRun) => void;
}

/** Between two looks at what may stop a run. */
const WATCH_MS = 1_000;

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
  try {
    files = makeFiles(ports.runsDirectory, claim);
    workspace = await ports.openWorkspace(claim.attempt_id);
    const given = giveAttempt(ports, claim, files, workspace);
    const logFile = join(ports.logsDirectory, `${claim.attempt_id}.log`);
    const log = openLog(logFile);
    const program = await ports.programFor(given);
    const run = await runProgram(ports, claim, claimedAtMs, stopRequest, { program, workspace, files, log });
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

interface Prepared {
  readonly program: Program;
  readonly workspace: Workspace;
  readonly files: RunFiles;
  readonly log: RunLog;
}

async function runProgram(
  ports: RunPorts,
  claim: OwnClaim,
  claimedAtMs: number,
  stopRequest: StopRequest,
  { program, workspace, files, log }: Prepared,
): Promise<SettledRun> {
  const { fleet, timing } = ports;
  const lease = new LeaseClock(claim.lease_seconds, claimedAtMs, momentOf(claim.lease.until));
  const startedAtMs = timing.clock.monotonic();
  const limits = [
    { atMs: startedAtMs + ports.timeLimitMs, why: "its time limit was reached" },
    { atMs: startedAtMs + msUntil(claim.deadline, fleet.clock.now()), why: "the job's deadline was reached" },
  ];
  const lastLines = new LastLines();
  const run = ports.launch({
    argv: program.argv,
    env: program.env,
    stdin: program.stdin,
    cwd: workspace.directory,
    mounts: [...ports.mounts, ...workspace.mounts, ...program.mounts, { path: files.directory, access: "write" }],
    onStdout: (chunk) => {
      log.write(chunk);
      program.onStdout(chunk);
    },
    onStderr: (chunk) => {
      log.write(chunk);
      lastLines.add(chunk);
    },
  });
  const over = new AbortController();
  const stop = (why: string): void => run.stop(why, lease.graceMs);
  const watching = watch(
    timing,
    over.signal,
    () => {
      const asked = stopRequest();
      const next = [...limits, { atMs: lease.stopAtMs, why: "its lease was not renewed in time" }, ...(asked ? [asked] : [])];
      return next.reduce((first, other) => (other.atMs < first.atMs ? other : first));
    },
    stop,
  );
  const keeping = keepLease(
    {
      lease,
      ...timing,
      renew: () => renew(ports, claim, program.usage()),
      onLost: stop,
    },
    over.signal,
  );
  const end = await run.ended;
  over.abort();
  await Promise.all([watching, keeping]);
  await program.close();
  log.close();
  const conclusion = program.conclude(end, lastLines.text(program.secrets));
  const settlement = settlementOf(conclusion, fleet.clock.now());
  return { settlement, usage: program.usage() };
}

async function renew({ fleet, claimant }: RunPorts, claim: OwnClaim, usage: Usage): Promise<Renewal> {
  const answer = await renewDelivery(fleet, claim, { ...claimant, ...usage });
  if (answer.state === "RENEWED") return { kind: "renewed", until: momentOf(answer.lease.until) };
  return { kind: "lost", why: `${answer.state}: ${answer.message ?? "the lease is lost"}` };
}

function msUntil(time: string, now: number): number {
  return (momentOf(time) - now) * 1000;
}

/** A log of the same attempt can be there from a worker that died; it is that run's, and makes place. */
function openLog(path: string): RunLog {
  rmSync(path, { force: true });
  return new RunLog(path);
}

/** Stops the run at the first of its limits, which may move. */
async function watch(
  { clock, pause }: RunTiming,
  signal: AbortSignal,
  nextLimit: () => { readonly atMs: number; readonly why: string },
  stop: (why: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    const { atMs, why } = nextLimit();
    const leftMs = atMs - clock.monotonic();
    if (leftMs <= 0) return stop(why);
    const waitMs = Math.min(leftMs, WATCH_MS);
    await pause(waitMs, waitMs, signal);
  }
}
