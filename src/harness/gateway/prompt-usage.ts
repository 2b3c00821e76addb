import type { JsonObject } from "../../json/json.ts";
import { type Tokens, tokenCount } from "./tokens.ts";

/** Takes OpenAI's count of a prompt apart: it includes what was read from the cache and what was written to it. */
export function countPrompt(prompt: number, details: JsonObject | undefined): Omit<Tokens, "output"> {
  const within = (field: string, rest: number): number => Math.min(rest, (details && tokenCount(details, field)) ?? 0);
  const cacheRead = within("cached_tokens", prompt);
  const cacheWrite = within("cache_write_tokens", prompt - cacheRead);
  return { input: prompt - cacheRead - cacheWrite, cacheWrite, cacheRead };
}
