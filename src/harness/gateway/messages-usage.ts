import { isJsonArray, isJsonObject, type JsonObject } from "../../json/json.ts";
import { type Answer, objectIn, type UsageReader, withError } from "./answer.ts";
import { tokenCount } from "./tokens.ts";

/**
 * Anthropic Messages. A stream tells input and cache in `message_start`, output in `message_delta`, whose counts are
 * cumulative: the last one holds. A whole body tells everything at once.
 */
export const readMessages: UsageReader = (answer, value) => {
  switch (value["type"]) {
    case "message_start": {
      const message = objectIn(value, "message");
      return message === undefined ? answer : withUsage(answer, message, false);
    }
    case "message_delta":
      return withRefusal(withUsage(answer, value, true), objectIn(value, "delta"));
    case "message":
      return withRefusal(withUsage(answer, value, true), value);
    case "error":
      return withError(answer, value);
    default:
      return answer;
  }
};

function withUsage(answer: Answer, holder: JsonObject, isLast: boolean): Answer {
  const usage = objectIn(holder, "usage");
  if (usage === undefined) return answer;
  const { input, output, cacheWrite, cacheRead } = answer.tokens;
  return {
    ...answer,
    tokens: {
      input: billed(usage, "input_tokens") ?? input,
      output: billed(usage, "output_tokens") ?? output,
      cacheWrite: billed(usage, "cache_creation_input_tokens") ?? cacheWrite,
      cacheRead: billed(usage, "cache_read_input_tokens") ?? cacheRead,
    },
    isCounted: answer.isCounted || (isLast && tokenCount(usage, "output_tokens") !== undefined),
  };
}

/**
 * A request that the API worked on in several rounds (it compacted the conversation, or asked an adviser) lists them all
 * in `iterations`, while the record's own counts leave some of them out.
 */
function billed(usage: JsonObject, field: string): number | undefined {
  const own = tokenCount(usage, field);
  const rounds = usage["iterations"];
  if (!isJsonArray(rounds)) return own;
  const sum = rounds.reduce<number>((total, round) => total + ((isJsonObject(round) && tokenCount(round, field)) || 0), 0);
  return own === undefined && sum === 0 ? undefined : Math.max(own ?? 0, sum);
}

function withRefusal(answer: Answer, holder: JsonObject | undefined): Answer {
  return holder?.["stop_reason"] === "refusal" ? { ...answer, error: "refused" } : answer;
}
