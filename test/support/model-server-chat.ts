import { type ModelAnswer, type ModelUsage, USAGE, type WireAnswer } from "./model-server-answer.ts";
import type { AskedModel } from "./model-server-request.ts";
import { asText, toolCall } from "./model-server-tool-call.ts";

/** OpenAI Chat Completions. A stream tells its usage in a chunk of its own, and only to those who asked. */
export function chatAnswer(asked: AskedModel, { turn, usage = USAGE }: ModelAnswer, id: string): WireAnswer {
  const call = toolCall(turn, asked.tools);
  const calls = call && [
    { index: 0, id: `call_${id}`, type: "function", function: { name: call.name, arguments: asText(call.input) } },
  ];
  const message =
    turn.kind === "say" ? { role: "assistant", content: turn.text } : { role: "assistant", content: null, tool_calls: calls };
  const finish_reason = turn.kind === "say" ? (turn.stop === undefined ? "stop" : "content_filter") : "tool_calls";
  const completion = { id: `chatcmpl-${id}`, created: 1, model: asked.model };
  const chunk = (fields: object): string =>
    `data: ${JSON.stringify({ ...completion, object: "chat.completion.chunk", ...fields })}\n\n`;
  return {
    body: {
      ...completion,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      ...(usage && { usage: usageRecord(usage) }),
    },
    events: [
      chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
      ...(asked.includesUsage && usage !== null ? [chunk({ choices: [], usage: usageRecord(usage) })] : []),
      "data: [DONE]\n\n",
    ],
  };
}

function usageRecord({ input, output, cacheWrite, cacheRead }: ModelUsage): object {
  const prompt_tokens = input + cacheWrite + cacheRead;
  return {
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  };
}
