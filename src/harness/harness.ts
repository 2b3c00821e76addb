import type { Clock } from "../facts/clock.ts";
import type { EnvironmentVariables, OwnNode } from "../facts/process-environment.ts";
import type { Fleet } from "../fleet.ts";
import type { HoldName } from "../job/hold.ts";
import type { Enclosure } from "./enclosure/enclosure.ts";

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
