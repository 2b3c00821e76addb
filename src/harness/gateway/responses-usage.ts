import type { JsonObject } from "../../json/json.ts";
import { type Answer, objectIn, type UsageReader, withError } from "./answer.ts";
import { countPrompt } from "./prompt-usage.ts";
import { tokenCount } from "./tokens.ts";

/** OpenAI Responses. A stream tells everything in its last event, a whole body at once; with `background` neither does. */
export const readResponses: UsageReader = (answer, value) => {
  switch (value["type"]) {
    case "response.completed":
    case "response.incomplete":
    case "response.failed": {
      const response = objectIn(value, "response");
      return response === undefined ? answer : readResponse(answer, response);
    }
    case "error":
      return withError(answer, value);
    default:
      return value["object"] === "response" ? readResponse(answer, value) : answer;
  }
};

function readResponse(answer: Answer, response: JsonObject): Answer {
  const counted = withUsage(answer, objectIn(response, "usage"));
  if (objectIn(response, "error") !== undefined) return withError(counted, response);
  const isFiltered = objectIn(response, "incomplete_details")?.["reason"] === "content_filter";
  return isFiltered ? { ...counted, error: "refused" } : counted;
}

function withUsage(answer: Answer, usage: JsonObject | undefined): Answer {
  if (usage === undefined) return answer;
  const input = tokenCount(usage, "input_tokens");
  const output = tokenCount(usage, "output_tokens");
  if (input === undefined || output === undefined) return answer;
  const tokens = { ...countPrompt(input, objectIn(usage, "input_tokens_details")), output };
  return { ...answer, tokens, isCounted: true };
}
