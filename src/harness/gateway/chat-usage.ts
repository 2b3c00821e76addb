import { isJsonArray, isJsonObject } from "../../json/json.ts";
import { objectIn, type UsageReader, withError } from "./answer.ts";
import { countPrompt } from "./prompt-usage.ts";
import { tokenCount } from "./tokens.ts";

/** OpenAI Chat Completions. A stream tells its usage only where the request asked for it (`stream_options.include_usage`). */
export const readChat: UsageReader = (answer, value) => {
  if (objectIn(value, "error") !== undefined) return withError(answer, value);
  const choices = value["choices"];
  const isFiltered =
    isJsonArray(choices) && choices.some((choice) => isJsonObject(choice) && choice["finish_reason"] === "content_filter");
  const told = isFiltered ? { ...answer, error: "refused" as const } : answer;
  const usage = objectIn(value, "usage");
  const input = usage && tokenCount(usage, "prompt_tokens");
  const output = usage && tokenCount(usage, "completion_tokens");
  if (usage === undefined || input === undefined || output === undefined) return told;
  const tokens = { ...countPrompt(input, objectIn(usage, "prompt_tokens_details")), output };
  return { ...told, tokens, isCounted: true };
};
