import type { Clock } from "../facts/clock.ts";
import type { EnvironmentVariables, OwnNode } from "../facts/process-environment.ts";
import type { Fleet } from "../fleet.ts";
import type { HoldName } from "../job/hold.ts";
import type { JsonObject } from "../json/json.ts";
import type { AgentUse } from "./agents/agent.ts";
import type { Enclosure } from "./enclosure/enclosure.ts";
import type { Mount } from "./enclosure/mount.ts";
import type { ProgramFor } from "./program.ts";
import type { RunLimits } from "./tools/run-limits.ts";
import type { Authority } from "./tools/tool.ts";

/** An agent that is a library (contract §11). What it says of itself needs no host, so that a deployment can be planned by it. */
export interface HarnessAdapter {
  /** As `work --adapter` names it; holds examine it. */
  readonly harnessId: string;
  /** The variables of the worker that must hold its keys. */
  readonly requiredSecrets: readonly string[];
  /** The adapter on a host. Starts nothing and reads no key. */
  on(host: AdapterHost): HostedAdapter;
}

/** The machine that an adapter runs on, and the fleet whose owner may hold it. */
export interface AdapterHost {
  readonly fleet: Pick<Fleet, "store" | "holds">;
  /** The worker's environment. */
  readonly env: EnvironmentVariables;
  readonly node: OwnNode;
  readonly clock: Clock;
  readonly enclosure: Enclosure;
  /** A directory of the worker's own that no run may write. */
  readonly stateDirectory: string;
}

/** Every call answers with the hold where one covers the adapter, and then did nothing else (contract §5, §13). */
export interface HostedAdapter {
  /** Puts the runtime in its place, once. Throws JobError where that fails. */
  provision(): Promise<Provisioned | HeldAdapter>;
  /** Whether a run could start here. */
  selfTest(): Promise<SelfTest | HeldAdapter>;
  /** Throws JobError CONFIG without its runtime or its key. */
  run(request: RunRequest, hooks: RunHooks): Promise<RunResult | HeldAdapter>;
  /** The same as a program that a worker runs. Throws JobError CONFIG as `run` does, and under a hold. */
  readonly programFor: ProgramFor;
}

export interface HeldAdapter {
  readonly ok: true;
  readonly state: HoldName;
  readonly invoke_model: false;
  readonly message: string;
}

export interface Provisioned {
  /** `there`: an earlier call did it. */
  readonly state: "installed" | "there";
  readonly directory: string;
}

export interface SelfTest {
  /** `failed`: no run may start. */
  readonly state: "passed" | "failed";
  readonly checks: readonly SelfTestCheck[];
}

export type SelfTestCheck = { readonly name: string; readonly found: string } & (
  | { readonly ok: true }
  /** What to do about it. */
  | { readonly ok: false; readonly remedy: string }
);

export interface RunRequest {
  /** How the agent is to work: its own prompt. */
  readonly prompt: string;
  /** What it is to do in this run. */
  readonly message: string;
  /** The workspace. Absolute, links resolved. */
  readonly directory: string;
  /** What belongs to the workspace elsewhere, like its git directory. */
  readonly mounts: readonly Mount[];
  /** An empty directory for this run alone. */
  readonly scratch: string;
  readonly authority: Authority;
  readonly limits: RunLimits;
  /** The JSON Schema of what it submits, an object; or that and the other rules of an attempt's outcome. */
  readonly schema: JsonObject | "outcome";
  /** The tokens that it may use. */
  readonly tokensMax: number;
}

export interface RunHooks {
  /** Must not throw. */
  readonly emit: (event: HarnessEvent) => void;
  /** Ends the run: it is asked to end, then killed. */
  readonly abortSignal: AbortSignal;
}

/** What happens in a run, as it happens. Of a call its input and its text stay out: they are the workspace's. */
export type HarnessEvent =
  | { readonly event: "tool-call"; readonly call_id: string; readonly tool: string }
  | {
      readonly event: "tool-result";
      readonly call_id: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly duration_ms: number;
    }
  /** A turn is over: all calls of one batch are answered. Unknown tokens are absent. */
  | { readonly event: "finish-step"; readonly turns: number; readonly tokens_used?: number }
  | { readonly event: "finish"; readonly outcome: RunOutcome; readonly turns: number; readonly duration_ms: number }
  | { readonly event: "error"; readonly message: string };

/**
 * What a run comes to.
 *
 * - `submitted`: its submission was accepted
 * - `time`, `turns`, `rejections`, `no_submission`: it came to a limit without one (contract §11)
 * - `budget`: the job's tokens are used up
 * - `cancelled`: it was told to end; never a success
 * - `failed`: the agent or its API failed
 */
export const RUN_OUTCOMES = [
  "submitted",
  "time",
  "turns",
  "rejections",
  "no_submission",
  "budget",
  "cancelled",
  "failed",
] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

export interface RunResult {
  readonly outcome: RunOutcome;
  /** What was submitted and accepted. */
  readonly output?: JsonObject;
  /** Unknown is absent, never 0. */
  readonly usage: Pick<AgentUse, "tokens_used" | "cost_usd">;
  readonly turns: number;
  /** For people: how it ended. */
  readonly detail: string;
}
