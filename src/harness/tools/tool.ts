import type { JsonObject } from "../../json/json.ts";

/** What an agent may do with its workspace (contract §12). */
export type Authority = "read_only" | "read_write";

export const TOOL_NAMES = ["read", "write", "edit", "search", "shell", "submit"] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** What a call came to, for the model. A failure is an error, never a text that reads as success. */
export type ToolResult =
  | { readonly kind: "text"; readonly text: string }
  /** `message` says what was refused or went wrong, and what to do instead. */
  | { readonly kind: "error"; readonly message: string };

export interface Tool {
  readonly name: ToolName;
  /** For the model. */
  readonly description: string;
  /** The JSON Schema of what `call` takes. */
  readonly inputSchema: JsonObject;
  /**
   * Checks what the model gave and does it. Never rejects. It has a deadline of its own; `signal` ends it earlier, and
   * everything that it started with it.
   */
  call(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

export function text(said: string): ToolResult {
  return { kind: "text", text: said };
}

export function failure(message: string): ToolResult {
  return { kind: "error", message };
}
