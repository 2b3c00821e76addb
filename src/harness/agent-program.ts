import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Usage } from "../callback/decide-on-claim.ts";
import { errnoOf, ioError } from "../errors/io-error.ts";
import { randomUuid } from "../facts/ids.ts";
import type { AgentKey, AgentReport, AgentRun, AgentSession, CommandAgent } from "./agents/agent.ts";
import { JsonLines } from "./agents/json-lines.ts";
import { sessionIn } from "./agents/session.ts";
import { concludeAgent } from "./conclude-agent.ts";
import { type Enclosure, PROTECTION } from "./enclosure/enclosure.ts";
import type { Mount } from "./enclosure/mount.ts";
import { secretsOf } from "./enclosure/without-secrets.ts";
import type { Gateway } from "./gateway/gateway.ts";
import type { Refusal } from "./gateway/refusal.ts";
import { readOutcome } from "./outcome.ts";
import type { GivenAttempt, Program, ProgramFor } from "./program.ts";

export interface AgentProgramOptions {
  readonly agent: CommandAgent;
  /** Where its program is. */
  readonly programPath: string;
  /** Undefined where the agent is logged in by itself: then it keeps its settings and sessions where its user does. */
  readonly gateway: { readonly gateway: Pick<Gateway, "startRun">; readonly key: AgentKey } | undefined;
  readonly enclosure: Pick<Enclosure, "kind" | "userIdInside">;
  /** A directory of the worker's own, in which each job gets a home for its agent. */
  readonly homesDirectory: string;
  /** The home directory of the worker's user. */
  readonly userHome: string;
  readonly model: string | undefined;
  readonly maxTurns: number | undefined;
  readonly budgetUsd: number | undefined;
}

/** Runs of an agent that the worker knows: `work --agent` (contract §11). */
export function agentProgramFor(options: AgentProgramOptions): ProgramFor {
  const shut: ShutSessions = { gone: new Set(), inUse: new Set() };
  return async (attempt) => openAgentProgram(options, shut, attempt);
}

/** Sessions in which no run may go on now. */
interface ShutSessions {
  /** The agent itself did not know them, though their files are there: asked for again, every attempt would fail. */
  readonly gone: Set<string>;
  /** Another run is in them. Claude Code would let a second one in, and lose what one of the two said. */
  readonly inUse: Set<string>;
}

/** Throws JobError: CONFIG where the agent cannot run so, IO where its files cannot be written. */
function openAgentProgram(options: AgentProgramOptions, shut: ShutSessions, attempt: GivenAttempt): Program {
  const { agent, gateway, enclosure } = options;
  const home = homeFor(options, attempt);
  const session = usableSession(agent, home.directory, attempt, shut);
  const gatewayRun = gateway?.gateway.startRun({ budgetTokens: attempt.tokens_left });
  const run: AgentRun = {
    ...options,
    program: options.programPath,
    prompt: attempt.prompt,
    session: session === undefined ? { kind: "fresh", id: randomUuid() } : { kind: "resume", session },
    home,
    scratch: dirname(attempt.outcomeFile),
    budgetTokens: attempt.tokens_left,
    gateway: gateway && gatewayRun && { baseUrl: gatewayRun.baseUrl, token: gatewayRun.token, key: gateway.key },
    enclosure: { protectsFiles: PROTECTION[enclosure.kind].protectsFiles, userIdInside: enclosure.userIdInside },
    writable: [dirname(attempt.outcomeFile), ...attempt.writable],
  };
  const record = agent.openRecord(run);
  const lines = new JsonLines((line) => record.read(line));
  const usage = (): Usage => {
    const told = record.use();
    // The gateway's count is the count: it is taken from the answers, and an agent's is only what the agent says.
    const tokensUsed = gatewayRun === undefined ? told.tokens_used : gatewayRun.usage().counted;
    return {
      ...(tokensUsed !== undefined && { tokensUsed }),
      ...(told.cost_usd !== undefined && { costUsd: told.cost_usd }),
    };
  };
  try {
    const { argv, env: added, stdin, files } = agent.commandLine(run);
    const env = { ...attempt.env, ...added };
    for (const file of files) writeOrThrow(file.path, file.text);
    if (session !== undefined) shut.inUse.add(session.id);
    return {
      argv,
      env,
      stdin,
      mounts: [{ path: home.directory, access: "write" }, ...mountsOf(options.programPath)],
      secrets: secretsOf(env),
      onStdout: (chunk) => lines.add(chunk),
      usage,
      close: async () => {
        if (session !== undefined) shut.inUse.delete(session.id);
        await gatewayRun?.end();
      },
      conclude(end, lastLines) {
        lines.end();
        const report = withRefusal(record.report(lastLines), gatewayRun?.usage().refusal ?? null);
        if (report.state === "failed" && report.error.kind === "session_gone" && session !== undefined) shut.gone.add(session.id);
        return concludeAgent(agent.name, attempt, end, report, readOutcome(attempt.outcomeFile));
      },
    };
  } catch (error) {
    // Nothing has been started, so nothing is read to its end.
    void gatewayRun?.end(0);
    throw error;
  }
}

/** With a gateway an agent needs no login, so it gets a place that neither its user's settings nor other jobs reach. */
function homeFor(options: AgentProgramOptions, { job_id, env }: GivenAttempt): AgentRun["home"] {
  const { agent, gateway, homesDirectory, userHome } = options;
  const users = env[agent.home.variable] ?? join(userHome, agent.home.directory);
  const home =
    gateway === undefined ? { directory: users, isOwn: false } : { directory: join(homesDirectory, job_id), isOwn: true };
  try {
    mkdirSync(home.directory, { recursive: true, mode: 0o700 });
    return { ...home, directory: realpathSync(home.directory) };
  } catch (cause) {
    throw ioError(home.directory, cause);
  }
}

/** The checkpoint's session where the agent still has it: on another machine, or after a clean-up, it starts afresh. */
function usableSession(
  agent: CommandAgent,
  home: string,
  { checkpoint }: GivenAttempt,
  { gone, inUse }: ShutSessions,
): AgentSession | undefined {
  const session = sessionIn(checkpoint, agent);
  if (session === undefined || agent.sessions === undefined) return undefined;
  if (gone.has(session.id) || inUse.has(session.id)) return undefined;
  const isThere = namesBelow(join(home, agent.sessions.directory)).some((name) => name.endsWith(`${session.id}.jsonl`));
  return isThere ? session : undefined;
}

function namesBelow(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: "utf8" });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** A program below /tmp, where a run has a directory of its own in place of the machine's. */
function mountsOf(programPath: string): readonly Mount[] {
  const places = [programPath, realpathSync(programPath)].flatMap((path) => /^\/tmp\/[^/]+/.exec(path) ?? []);
  return [...new Set(places)].map((path) => ({ path, access: "read" }));
}

function writeOrThrow(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw ioError(path, cause);
  }
}

/** The gateway knows why it told the agent to end; the agent only knows that it was told. */
function withRefusal(report: AgentReport, refusal: Refusal | null): AgentReport {
  return report.state === "completed" || refusal === null ? report : { ...report, error: refusal };
}
