/** The agents that `work --agent` knows; apart from the agents themselves, so that a command line names them without loading one. */
export const KNOWN_AGENT_NAMES = ["claude-code", "codex", "opencode"] as const;
export type AgentName = (typeof KNOWN_AGENT_NAMES)[number];
