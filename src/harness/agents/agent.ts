import type { Json, JsonObject } from "../../json/json.ts";
import type { AgentError } from "./agent-error.ts";

/**
 * An agent that is a command (contract §11): how it is called unattended, and how what it says is read. One file each
 * (docs/agents.md says how to add one). It starts nothing and reads no file: text in, text out.
 */
export interface CommandAgent {
  /** As `work --agent` and `checkpoint.session` name it. */
  readonly name: string;
  /** The program, looked for in PATH. */
  readonly program: string;
  /** What npm installs it from. */
  readonly package: AgentPackage;
  /** Where it keeps settings and sessions: a directory below the home, and the variable that moves it. */
  readonly home: { readonly directory: string; readonly variable: string };
  /** The API that it talks to; the first key of these that the worker holds is put behind the gateway. */
  readonly api: AgentApi;
  /** Its sessions, by which the next run goes on; undefined where one cannot be gone on with from another directory. */
  readonly sessions: AgentSessions | undefined;
  /** Throws JobError CONFIG where it cannot run so at all. */
  commandLine(run: AgentRun): CommandLine;
  /** A reader for the lines of one run's standard output. */
  openRecord(run: AgentRun): AgentRecord;
}

export interface AgentPackage {
  readonly name: string;
  /** The one that it was tried with. */
  readonly version: string;
  /** Its own script that puts the program in its place, by its path in the package; npm leaves it out under `--ignore-scripts`. */
  readonly installer?: string;
}

export interface AgentApi {
  /** Its address up to `/v1`; another may stand in the worker's variable of that name. */
  readonly url: string;
  readonly urlVariable: string;
  readonly keys: readonly AgentKey[];
}

/** A variable that may hold a key. The agent finds the gateway's token in the same one. */
export interface AgentKey {
  readonly variable: string;
  readonly scheme: "x-api-key" | "bearer";
}

export interface AgentSessions {
  /** What an id looks like. One stands in a checkpoint, which an earlier run wrote, and becomes an argument. */
  readonly id: RegExp;
  /** Below the agent's home a session is a file somewhere in `directory` whose name ends in its id and `.jsonl`. */
  readonly directory: string;
}

/** What one run is given. */
export interface AgentRun {
  /** The program's path. */
  readonly program: string;
  readonly prompt: string;
  /** The session to go on in, or the id for a fresh one (a UUID; agents that name their own take no notice). */
  readonly session: { readonly kind: "resume"; readonly session: AgentSession } | { readonly kind: "fresh"; readonly id: string };
  /** Where it keeps settings and sessions. `isOwn`: the worker's own place for it, which the user's settings do not reach. */
  readonly home: { readonly directory: string; readonly isOwn: boolean };
  /** A directory for files that it is given; the worker's, read-only for the run. */
  readonly scratch: string;
  readonly model: string | undefined;
  readonly maxTurns: number | undefined;
  readonly budgetUsd: number | undefined;
  /** The job's tokens left; heeded by the agent itself only where no gateway counts. */
  readonly budgetTokens: number;
  /** Undefined where the agent is logged in by itself. */
  readonly gateway: { readonly baseUrl: string; readonly token: string; readonly key: AgentKey } | undefined;
  readonly enclosure: { readonly protectsFiles: boolean; readonly userIdInside: number | undefined };
  /** What the run may write; an agent with a sandbox of its own is told. */
  readonly writable: readonly string[];
}

export interface CommandLine {
  readonly argv: readonly [string, ...string[]];
  /** Over the environment that every run gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** To be written before the start. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** What `checkpoint.session` holds. */
export interface AgentSession {
  readonly agent: string;
  readonly id: string;
  /** What all runs of the session have counted so far, for agents that tell no run's own tokens. */
  readonly tokens?: number;
}

/** What a run has used so far, as its agent tells it. Unknown is absent, never 0. */
export interface AgentUse {
  readonly tokens_used?: number;
  readonly cost_usd?: number;
  readonly turns?: number;
}

/** Reads one run. Only its closing record proves that it ended well: exit code 0 proves nothing. */
export interface AgentRecord {
  /** Takes a line of standard output. Lines that are no JSON object are not given. */
  read(line: JsonObject): void;
  use(): AgentUse;
  /** What it came to, after the last line; `stderr` is the end of standard error. */
  report(stderr: string): AgentReport;
}

export type AgentReport = AgentUse & {
  /** Absent where none was begun. */
  readonly session?: AgentSession;
} & (
    | { readonly state: "completed"; readonly answer: string /** Unchecked. */; readonly outcome?: Json }
    | { readonly state: "failed"; readonly error: AgentError }
  );
