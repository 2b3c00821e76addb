import type { Tool, ToolName, ToolResult } from "../../src/harness/tools/tool.ts";

/** Calls the tool of that name. Throws where there is none. */
export function callTool(
  tools: readonly Tool[],
  name: ToolName,
  input: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool.call(input, signal);
}
