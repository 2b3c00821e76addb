import type { CommandAgent } from "./agent.ts";
import type { AgentName } from "./agent-names.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { opencode } from "./opencode.ts";

/** What `work --agent` takes. A new agent is one file, its name, and a line here (docs/agents.md). */
export const KNOWN_AGENTS: readonly CommandAgent[] = Object.values({
  "claude-code": claudeCode,
  codex,
  opencode,
} satisfies Record<AgentName, CommandAgent>);
