import { type ModelAnswer, type ModelUsage, USAGE, type WireAnswer } from "./model-server-answer.ts";
import type { AskedModel } from "./model-server-request.ts";
import { toolCall } from "./model-server-tool-call.ts";

/** Anthropic Messages. */
export function messagesAnswer({ model, tools }: AskedModel, { turn, usage = USAGE }: ModelAnswer, id: string): WireAnswer {
  const call = toolCall(turn, tools);
  const block =
    call === undefined
      ? { type: "text", text: turn.kind === "say" ? turn.text : "" }
      : { type: "tool_use", id: `toolu_${id}`, name: call.name, input: call.input };
  const stop_reason = turn.kind === "say" ? (turn.stop ?? "end_turn") : "tool_use";
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
  const begin = usage && { usage: { ...usageRecord(usage), output_tokens: 1 } };
  return {
    body: { ...message, content: [block], stop_reason, ...(usage && { usage: usageRecord(usage) }) },
    events: [
      event("message_start", { message: { ...message, content: [], stop_reason: null, ...begin } }),
      event("content_block_start", {
        index: 0,
        content_block: call === undefined ? { type: "text", text: "" } : { ...block, input: {} },
      }),
      event("ping", {}),
      event("content_block_delta", {
        index: 0,
        delta:
          call === undefined
            ? { type: "text_delta", text: turn.kind === "say" ? turn.text : "" }
            : { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
      }),
      event("content_block_stop", { index: 0 }),
      event("message_delta", {
        delta: { stop_reason, stop_sequence: null },
        ...(usage && { usage: { output_tokens: usage.output } }),
      }),
      event("message_stop", {}),
    ],
  };
}

function usageRecord({ input, output, cacheWrite, cacheRead }: ModelUsage): object {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
