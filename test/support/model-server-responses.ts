import { type ModelAnswer, type ModelUsage, USAGE, type WireAnswer } from "./model-server-answer.ts";
import type { AskedModel } from "./model-server-request.ts";
import { asText, toolCall } from "./model-server-tool-call.ts";

/** OpenAI Responses. */
export function responsesAnswer({ model, tools }: AskedModel, { turn, usage = USAGE }: ModelAnswer, id: string): WireAnswer {
  const call = toolCall(turn, tools);
  const named = { call_id: `call_${id}`, name: call?.name };
  let item: object;
  if (turn.kind === "say") {
    const content = [{ type: "output_text", text: turn.text, annotations: [] }];
    item = { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
  } else if (typeof call?.input === "string") {
    item = { type: "custom_tool_call", id: `ctc_${id}`, ...named, input: call.input };
  } else {
    item = { type: "function_call", id: `fc_${id}`, ...named, arguments: asText(call?.input ?? {}) };
  }
  const begun = { id: `resp_${id}`, object: "response", model, status: "in_progress", output: [], usage: null };
  const response = { ...begun, status: "completed", output: [item], usage: usage && usageRecord(usage) };
  const deltas =
    turn.kind === "say"
      ? [event("response.output_text.delta", { output_index: 0, content_index: 0, item_id: `msg_${id}`, delta: turn.text })]
      : [];
  return {
    body: response,
    events: [
      event("response.created", { response: begun }),
      event("response.output_item.added", { output_index: 0, item }),
      ...deltas,
      event("response.output_item.done", { output_index: 0, item }),
      event("response.completed", { response }),
    ],
  };
}

function usageRecord({ input, output, cacheWrite, cacheRead }: ModelUsage): object {
  const input_tokens = input + cacheWrite + cacheRead;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output,
  };
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
