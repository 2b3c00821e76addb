import type { CommandAgent } from "./agent.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { opencode } from "./opencode.ts";

/** What `work --agent` takes. A new agent is one file, and a line here (docs/agents.md). */
export const KNOWN_AGENTS: readonly CommandAgent[] = [claudeCode, codex, opencode];
