import { momentOf } from "../../job/job.ts";
import { LastLines } from "../enclosure/last-lines.ts";
import type { RunEnd, RunTiming } from "../enclosure/run-enclosed.ts";
import type { RunLog } from "../enclosure/run-log.ts";
import type { Program } from "../program.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { KeptLease, RunLimit } from "./keep-lease.ts";
import type { OwnClaim, RunFiles } from "./run-files.ts";
import type { RunPorts, StopRequest } from "./run-ports.ts";
import type { SettledRun } from "./settlement.ts";
import { settlementOf } from "./settlement-of.ts";

export interface PreparedRun {
  readonly program: Program;
  readonly workspace: Workspace;
  readonly files: RunFiles;
  readonly log: RunLog;
}

/** Between two looks at what may stop a run. */
const WATCH_MS = 1_000;

/** Runs a program until it ends, or until the first of its limits; one that is past a limit already is not started. */
export async function runProgram(
  ports: RunPorts,
  claim: OwnClaim,
  lease: KeptLease,
  stopRequest: StopRequest,
  prepared: PreparedRun,
): Promise<SettledRun> {
  const { fleet, timing } = ports;
  const { program, log } = prepared;
  const startedAtMs = timing.clock.monotonic();
  const leftMs = (momentOf(claim.deadline) - fleet.clock.now()) * 1000;
  const limits: readonly RunLimit[] = [
    { atMs: startedAtMs + ports.timeLimitMs, why: "its time limit was reached" },
    { atMs: startedAtMs + leftMs, why: "the job's deadline was reached" },
  ];
  const firstLimit = (): RunLimit => {
    const asked = stopRequest();
    const all = [...limits, lease.limit(), ...(asked ? [asked] : [])];
    return all.reduce((first, other) => (other.atMs < first.atMs ? other : first));
  };
  const lastLines = new LastLines();
  const { atMs, why } = firstLimit();
  const end: RunEnd =
    atMs <= startedAtMs ? { state: "not_started", message: why } : await launch(ports, lease, firstLimit, prepared, lastLines);
  await lease.letGo();
  await program.close();
  log.close();
  const conclusion = program.conclude(end, lastLines.text(program.secrets));
  return { settlement: settlementOf(conclusion, fleet.clock.now()), usage: program.usage() };
}

async function launch(
  ports: RunPorts,
  lease: KeptLease,
  firstLimit: () => RunLimit,
  { program, workspace, files, log }: PreparedRun,
  lastLines: LastLines,
): Promise<RunEnd> {
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
  const watching = watch(ports.timing, lease, over.signal, firstLimit, (why) => run.stop(why, lease.graceMs));
  const end = await run.ended;
  over.abort();
  await watching;
  return end;
}

/** Stops the run at the first of its limits, which may move. */
async function watch(
  { clock, pause }: RunTiming,
  lease: KeptLease,
  over: AbortSignal,
  firstLimit: () => RunLimit,
  stop: (why: string) => void,
): Promise<void> {
  const woken = AbortSignal.any([over, lease.lost]);
  while (!over.aborted) {
    const { atMs, why } = firstLimit();
    const leftMs = atMs - clock.monotonic();
    if (leftMs <= 0) return stop(why);
    const waitMs = Math.min(leftMs, WATCH_MS);
    await pause(waitMs, waitMs, woken);
  }
}
