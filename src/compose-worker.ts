import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { OpenedFleet } from "./compose.ts";
import { ioError } from "./errors/io-error.ts";
import { JobError } from "./errors/job-error.ts";
import { randomToken } from "./facts/ids.ts";
import { pauseBetween } from "./facts/pause.ts";
import { type EnvironmentVariables, ownNode } from "./facts/process-environment.ts";
import { sleeplessClock } from "./facts/sleepless-clock.ts";
import { ADAPTER_NAMES } from "./harness/adapter-names.ts";
import { CURSOR_ADAPTER, cursor } from "./harness/cursor/cursor.ts";
import { type Enclosure, type EnclosureChoice, PROTECTION, sayWhatHolds } from "./harness/enclosure/enclosure.ts";
import { findEnclosure } from "./harness/enclosure/find-enclosure.ts";
import { stateMounts, userMounts } from "./harness/enclosure/mount.ts";
import { runEnclosed } from "./harness/enclosure/run-enclosed.ts";
import { execProgram } from "./harness/exec-program.ts";
import type { HarnessAdapter } from "./harness/harness.ts";
import { openAdapter } from "./harness/open-adapter.ts";
import { type OpenAgent, type OpenAgentOptions, openAgent } from "./harness/open-agent.ts";
import { AttemptRecords } from "./harness/worker/attempt-record.ts";
import { childEnvironment } from "./harness/worker/child-environment.ts";
import { promptOf } from "./harness/worker/prompt.ts";
import { Worker, type WorkerOptions, type WorkerSummary } from "./harness/worker/worker.ts";
import type { WorkerEvent } from "./harness/worker/worker-event.ts";
import { waitOutHolds } from "./harness/worker/worker-hold.ts";
import { openHere } from "./harness/workspace/here.ts";
import { closeLeftOvers } from "./harness/workspace/left-over.ts";
import { openRepository, type Repository } from "./harness/workspace/repository.ts";
import type { Workspace } from "./harness/workspace/workspace.ts";
import { openWorktree } from "./harness/workspace/worktree.ts";
import { sha256Of, shortFingerprint } from "./json/fingerprint.ts";

/** What a run starts: a line for a shell, an agent that is a command, or one that is a library. */
export type RunChoice =
  | { readonly kind: "command"; readonly command: string }
  | ({ readonly kind: "agent" } & Pick<OpenAgentOptions, "name" | "model" | "maxTurns" | "budgetUsd">)
  | ({ readonly kind: "adapter" } & AdapterChoice);

/** A worker that was built, with what has to be let go of after its run. */
export interface OpenedWorker {
  run(): Promise<WorkerSummary>;
}

export interface OpenWorkerOptions extends WorkerOptions {
  readonly harness: string;
  readonly workerId: string;
  readonly runs: RunChoice;
  readonly workspace: "worktree" | "here";
  readonly enclosure: EnclosureChoice;
  /** Milliseconds. */
  readonly timeLimitMs: number;
  /** Names of variables that runs get beside the harmless ones. */
  readonly passedVariables: readonly string[];
  /** Where the worker keeps what it must not forget. */
  readonly stateDirectory: string;
  readonly env: EnvironmentVariables;
  readonly tell: (event: WorkerEvent) => void;
  readonly stopping: AbortSignal;
  readonly stoppingAtOnce: AbortSignal;
}

/**
 * Builds a worker for a fleet: finds what closes its runs in, says so, and clears away what workers that died left behind.
 * Throws JobError CONFIG where it cannot work as asked.
 */
export async function openWorker(fleet: OpenedFleet, options: OpenWorkerOptions): Promise<OpenedWorker> {
  const { env, harness, workerId, tell } = options;
  const claimant = { workerId, harness };
  const timing = { clock: sleeplessClock(), pause: pauseBetween };
  const adapter = options.runs.kind === "adapter" ? adapterFor(options.runs) : undefined;
  // Before anything is looked for, started or read: an adapter that is held does none of it.
  const hold = adapter && (await waitOutHolds({ ...options, fleet, claimant, adapterId: adapter.harnessId, timing }));
  if (hold !== undefined) return { run: async () => ({ claimed: 0, finished: 0, failed: 0, kept: 0, held: hold.name }) };
  const state = makeState(options.stateDirectory, fleet.root);
  const enclosure = await findEnclosure({ choice: options.enclosure, env });
  // An enclosure that protects files has a /tmp of its own; the worker's temp directory cannot be written there.
  const surroundings = PROTECTION[enclosure.kind].protectsFiles ? { ...env, TMPDIR: "/tmp" } : env;
  const opened = await openRuns(options, enclosure, fleet, state.own);
  // An adapter's self-test has said it, and that of its runs less is open than of others.
  const holds = adapter === undefined ? sayWhatHolds(enclosure) : "";
  const message = [opened.says, holds].filter((words) => words !== "").join(". ");
  tell({ event: "started", harness, worker_id: workerId, enclosure: enclosure.kind, message });
  // In the checkout itself runs have to be kept from its hooks and settings as well: only outside of git is there nothing to keep.
  const isNeeded = options.workspace === "worktree" || existsSync(join(fleet.root, ".git"));
  const repository = isNeeded ? await openRepository({ directory: fleet.root, env }) : undefined;
  if (options.workspace === "worktree" && repository !== undefined) await tellLeftOvers(fleet, repository, state.worktrees, tell);
  const worker = new Worker(
    {
      fleet,
      claimant,
      ...(adapter !== undefined && { adapterId: adapter.harnessId }),
      timing,
      launch: (command) => runEnclosed(enclosure, command),
      openWorkspace: (attemptId) =>
        options.workspace === "here" || repository === undefined
          ? openHere(repository, fleet.root)
          : openNewWorktree(fleet, repository, state.worktrees, attemptId),
      programFor: opened.programFor,
      promptOf: (claim, files) =>
        promptOf(claim, {
          files,
          pagesDirectory: fleet.settings.pages_dir,
          leaves: adapter === undefined ? "file" : "submission",
          timeLimitMs: options.timeLimitMs,
        }),
      environmentFor: (told) => childEnvironment(surroundings, options.passedVariables, told),
      mounts: [
        // Its own home is an adapter's run's, and no other place of its user.
        ...(adapter === undefined ? userMounts(childEnvironment(env, options.passedVariables, {})) : []),
        ...stateMounts(options.stateDirectory),
      ],
      runsDirectory: state.runs,
      logsDirectory: state.logs,
      timeLimitMs: options.timeLimitMs,
      records: new AttemptRecords(state.records),
      inbox: fleet.settings.ntfy.urls.length === 0 ? undefined : fleet.openInbox(),
      tell,
      stopping: options.stopping,
      stoppingAtOnce: options.stoppingAtOnce,
    },
    options,
  );
  return { run: () => worker.run().finally(() => opened.close()) };
}

/** What runs are, and how they are said to be. */
async function openRuns(
  { runs, env, stateDirectory }: OpenWorkerOptions,
  enclosure: Enclosure,
  fleet: OpenedFleet,
  ownDirectory: string,
): Promise<OpenAgent> {
  const { clock } = fleet;
  switch (runs.kind) {
    case "command":
      return { programFor: async (attempt) => execProgram(runs.command, attempt), says: "", close: async () => undefined };
    case "agent":
      return openAgent({ ...runs, env, clock, enclosure, stateDirectory: ownDirectory });
    case "adapter":
      // One runtime serves all fleets of a host.
      return openAdapter(adapterFor(runs), { fleet, env, node: ownNode(), clock, enclosure, stateDirectory });
  }
}

export interface AdapterChoice {
  /** As `work --adapter` names it. */
  readonly name: string;
  readonly model: string | undefined;
  readonly maxTurns: number | undefined;
  readonly isReadOnly: boolean;
  readonly replaceSystemPrompt: boolean;
}

/** What `work --adapter cursor` runs where nobody names a model. */
const CURSOR_MODEL = "composer-2.5";

/** Throws JobError: USAGE for a name that is not known, CONFIG for options that the adapter cannot run. */
function adapterFor({ name, model = CURSOR_MODEL, maxTurns, isReadOnly, replaceSystemPrompt }: AdapterChoice): HarnessAdapter {
  if (name !== CURSOR_ADAPTER) {
    throw new JobError("USAGE", `there is no adapter "${name}"; known is ${ADAPTER_NAMES.join(", ")}`, { field: "adapter" });
  }
  return cursor({ model: { id: model }, replaceSystemPrompt }, { authority: isReadOnly ? "read_only" : "read_write", maxTurns });
}

interface State {
  readonly own: string;
  readonly records: string;
  readonly runs: string;
  readonly logs: string;
  readonly worktrees: string;
}

/** Each fleet of a host has directories of its own, outside of the repository. Throws JobError IO. */
function makeState(parent: string, root: string): State {
  const own = join(parent, shortFingerprint(sha256Of(root)));
  const state = {
    own,
    records: join(own, "attempts"),
    runs: join(own, "runs"),
    logs: join(own, "logs"),
    worktrees: join(own, "worktrees"),
  };
  for (const directory of Object.values(state)) {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw ioError(directory, cause);
    }
  }
  return state;
}

function openNewWorktree(fleet: OpenedFleet, repository: Repository, parent: string, attemptId: string): Promise<Workspace> {
  const { remote, pages_branch: branch } = fleet.settings.git;
  return openWorktree({
    repository,
    remote,
    branch,
    jobsDirectory: fleet.jobsDirectory,
    parent,
    name: `${attemptId}-${randomToken().slice(0, 8)}`,
  });
}

async function tellLeftOvers(
  fleet: OpenedFleet,
  repository: Repository,
  parent: string,
  tell: OpenWorkerOptions["tell"],
): Promise<void> {
  for (const { directory, end } of await closeLeftOvers(repository, fleet.settings.git.remote, parent, fleet.clock.now())) {
    if (end.state === "kept")
      tell({ event: "note", message: `the worktree ${directory} of an earlier worker is kept: ${end.why}` });
  }
}
