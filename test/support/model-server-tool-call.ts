import type { ModelTurn } from "./model-server-answer.ts";

export interface ToolCall {
  readonly name: string;
  /** An object, or for a tool that takes free text the text itself. */
  readonly input: object | string;
}

/** How each agent wants its shell tool called. */
const SHELLS: Readonly<Record<string, (command: string) => object | string>> = {
  Bash: (command) => ({ command, description: "run it" }),
  exec_command: (command) => ({ cmd: command, yield_time_ms: 10_000 }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ["bash", "-lc", command] }),
  bash: (command) => ({ command, description: "run it" }),
  run_shell_command: (command) => ({ command }),
  // Codex in code mode: JavaScript that calls the tool.
  exec: (command) => `text(await tools.exec_command(${JSON.stringify({ cmd: command, yield_time_ms: 10_000 })}));`,
};

/** The tool call that a turn makes; undefined for one that says something. */
export function toolCall(turn: ModelTurn, offered: readonly string[]): ToolCall | undefined {
  if (turn.kind === "say") return undefined;
  if (turn.kind === "call") return { name: turn.tool, input: turn.input };
  const name = Object.keys(SHELLS).find((shell) => offered.includes(shell));
  const input = name && SHELLS[name]?.(turn.command);
  if (name === undefined || input === undefined) throw new Error(`no shell among the tools offered: ${offered.join(", ")}`);
  return { name, input };
}

export function asText(input: object | string): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}
