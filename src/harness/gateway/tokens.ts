import type { Json, JsonObject } from "../../json/json.ts";

/** Tokens that an API said it took and gave. No token is in two of them. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  /** Input that the API wrote to its cache; it costs at least as much as other input. */
  readonly cacheWrite: number;
  /** Input that the API read from its cache. Noted apart, and never counted against a budget (contract §11). */
  readonly cacheRead: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };

/** What counts against a job's budget (contract §11). */
export function countedTokens({ input, output, cacheWrite }: Tokens): number {
  return input + output + cacheWrite;
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cacheRead: a.cacheRead + b.cacheRead,
  };
}

/** A field of a usage record; undefined where the record does not tell it, or tells what is no count. */
export function tokenCount(usage: JsonObject, field: string): number | undefined {
  const value: Json | undefined = usage[field];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
