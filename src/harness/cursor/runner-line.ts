import { isJsonObject, type JsonObject } from "../../json/json.ts";
import { z } from "../../json/zod.ts";
import { ENCLOSURE_KINDS } from "../enclosure/enclosure.ts";
import { RUN_OUTCOMES } from "../harness.ts";

/** A line of the runner. Other lines are what the SDK says. */
export const buildRunnerLine = () => {
  const text = z.string();
  const tokens_used = z.exactOptional(z.number());
  const call = { call_id: text, tool: text };
  const event = z.discriminatedUnion("event", [
    z.strictObject({ event: z.literal("tool-call"), ...call }),
    z.strictObject({ event: z.literal("tool-result"), ...call, ok: z.boolean(), duration_ms: z.number() }),
    z.strictObject({ event: z.literal("finish-step"), turns: z.number(), tokens_used }),
    z.strictObject({ event: z.literal("finish"), outcome: z.enum(RUN_OUTCOMES), turns: z.number(), duration_ms: z.number() }),
    z.strictObject({ event: z.literal("error"), message: text }),
  ]);
  return z.discriminatedUnion("line", [
    z.strictObject({
      line: z.literal("probe"),
      mark: text,
      /** The SDK's version, or why it cannot be loaded. */
      sdk: z.union([z.strictObject({ version: text }), z.strictObject({ why: text })]),
      /** Of the directories that it must not be able to write to, those that it could. */
      open: z.array(text),
      /** What closes in the commands of its shell, inside of what closes it in. */
      inner: z.enum(ENCLOSURE_KINDS),
    }),
    z.strictObject({ line: z.literal("event"), mark: text, event }),
    z.strictObject({
      line: z.literal("result"),
      mark: text,
      outcome: z.enum(RUN_OUTCOMES),
      output: z.exactOptional(z.custom<JsonObject>(isJsonObject)),
      usage: z.strictObject({ tokens_used, cost_usd: z.exactOptional(z.number()) }),
      turns: z.number(),
      detail: text,
    }),
  ]);
};

export type RunnerLine = Readonly<z.infer<ReturnType<typeof buildRunnerLine>>>;

/** The runner's own line; undefined for what something else wrote to its output. */
export function ownLine(line: JsonObject, mark: string): RunnerLine | undefined {
  const { success, data } = buildRunnerLine().safeParse(line);
  return success && data.mark === mark ? data : undefined;
}
