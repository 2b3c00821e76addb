import { homedir } from "node:os";
import { join } from "node:path";
import { JobError } from "../errors/job-error.ts";
import type { Clock } from "../facts/clock.ts";
import type { EnvironmentVariables } from "../facts/process-environment.ts";
import { agentProgramFor } from "./agent-program.ts";
import type { AgentApi, AgentKey, CommandAgent } from "./agents/agent.ts";
import { KNOWN_AGENTS } from "./agents/known-agents.ts";
import { type Enclosure, PROTECTION } from "./enclosure/enclosure.ts";
import { findProgram } from "./enclosure/find-program.ts";
import { openGateway } from "./gateway/gateway.ts";
import { removeOldHomes } from "./old-homes.ts";
import type { ProgramFor } from "./program.ts";

export interface OpenAgentOptions {
  /** As `work --agent` names it. */
  readonly name: string;
  /** The worker's environment: PATH, HOME, and where it holds an API key. */
  readonly env: EnvironmentVariables;
  readonly clock: Clock;
  readonly enclosure: Pick<Enclosure, "kind" | "userIdInside">;
  /** The worker's own directory for this fleet. */
  readonly stateDirectory: string;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly budgetUsd?: number | undefined;
}

/** An agent that is ready to be run. */
export interface OpenAgent {
  readonly programFor: ProgramFor;
  /** For people: where it is, who holds the key, and who counts. */
  readonly says: string;
  /** Ends the gateway. */
  close(): Promise<void>;
}

/**
 * Finds an agent's program and the API key for it. With a key a gateway is opened, so that the agent never holds it; without
 * one the agent is taken to be logged in by itself. Throws JobError: USAGE for a name that is not known, CONFIG for a program
 * that is not there or a key that cannot be used.
 */
export async function openAgent(options: OpenAgentOptions): Promise<OpenAgent> {
  const { env, enclosure, stateDirectory, model, maxTurns, budgetUsd } = options;
  const agent = requireAgent(options.name);
  const programPath = requireProgram(agent, env);
  const held = heldKey(agent.api, env);
  const homesDirectory = join(stateDirectory, "agents", agent.name);
  removeOldHomes(homesDirectory, options.clock.now());
  const gateway = held && {
    key: held.key,
    gateway: await openGateway({ upstream: { ...held.upstream, environment: env }, clock: options.clock }),
  };
  return {
    programFor: agentProgramFor({
      agent,
      programPath,
      gateway,
      enclosure,
      homesDirectory,
      userHome: env["HOME"] || homedir(),
      model,
      maxTurns,
      budgetUsd,
    }),
    says: sayHowItRuns(agent, programPath, held?.key, enclosure),
    close: async () => gateway?.gateway.close(),
  };
}

function requireAgent(name: string): CommandAgent {
  const agent = KNOWN_AGENTS.find((known) => known.name === name);
  if (agent !== undefined) return agent;
  const names = KNOWN_AGENTS.map((known) => known.name).join(", ");
  throw new JobError("USAGE", `there is no agent "${name}"; known are ${names}. Any other command runs by --exec`, {
    field: "agent",
  });
}

function requireProgram(agent: CommandAgent, env: EnvironmentVariables): string {
  const path = findProgram(agent.program, env["PATH"]);
  if (path !== undefined) return path;
  throw new JobError(
    "CONFIG",
    `${agent.name} is not installed: there is no program "${agent.program}" in PATH; install it by npm install --global ${agent.package.name}`,
  );
}

interface HeldKey {
  readonly key: AgentKey;
  readonly upstream: { readonly url: string; readonly key: string; readonly scheme: AgentKey["scheme"] };
}

/** The first of the agent's keys that the worker holds. */
function heldKey({ url, urlVariable, keys }: AgentApi, env: EnvironmentVariables): HeldKey | undefined {
  const key = keys.find(({ variable }) => env[variable]);
  if (key === undefined) return undefined;
  // Both with and without the version are in use.
  const address = (env[urlVariable] || url).replace(/\/v1\/?$/, "");
  return { key, upstream: { url: address, key: env[key.variable] ?? "", scheme: key.scheme } };
}

function sayHowItRuns(
  { name, api }: CommandAgent,
  path: string,
  key: AgentKey | undefined,
  { kind }: Pick<Enclosure, "kind">,
): string {
  if (key === undefined) {
    const variables = api.keys.map(({ variable }) => variable).join(", ");
    return `${name} (${path}) uses its own login, which its tools can read, and its own count of tokens; set ${variables} to keep a key with this worker`;
  }
  const readable = PROTECTION[kind].hidesEnvironment ? "" : ", though without an enclosure a run can read it there";
  return `${name} (${path}) works through this worker, which keeps ${key.variable}${readable}, and counts its tokens`;
}
