import type { AgentRecord, AgentRun, CommandAgent } from "../../src/harness/agents/agent.ts";
import { JsonLines } from "../../src/harness/agents/json-lines.ts";

/** A run of an agent behind a gateway, in a full enclosure. */
export const AGENT_RUN: AgentRun = {
  program: "/usr/bin/agent",
  prompt: "-- do it",
  session: { kind: "fresh", id: "11111111-1111-4111-8111-111111111111" },
  home: { directory: "/state/homes/fix-it-01", isOwn: true },
  scratch: "/state/runs/fix-it-01-a01",
  model: undefined,
  maxTurns: undefined,
  budgetUsd: undefined,
  budgetTokens: 50_000,
  gateway: {
    baseUrl: "http://127.0.0.1:4321",
    token: "run-token",
    key: { variable: "ANTHROPIC_API_KEY", scheme: "x-api-key" },
  },
  enclosure: { protectsFiles: true, userIdInside: 1000 },
  writable: ["/repo/.git"],
};

/** What an agent's record comes to when it reads these lines. */
export function recordOf(agent: CommandAgent, lines: readonly object[], run: Partial<AgentRun> = {}): AgentRecord {
  const record = agent.openRecord({ ...AGENT_RUN, ...run });
  const reader = new JsonLines((line) => record.read(line));
  reader.add(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
  reader.end();
  return record;
}
