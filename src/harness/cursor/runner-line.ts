import type { JsonObject } from "../../json/json.ts";
import { z } from "../../json/zod.ts";

/** A line of the runner. */
export const buildRunnerLine = () =>
  z.discriminatedUnion("line", [
    z.strictObject({
      line: z.literal("probe"),
      mark: z.string(),
      /** The SDK's version, or why it cannot be loaded. */
      sdk: z.union([z.strictObject({ version: z.string() }), z.strictObject({ why: z.string() })]),
      /** Of the directories that it must not be able to write to, those that it could. */
      open: z.array(z.string()),
    }),
  ]);

export type RunnerLine = Readonly<z.infer<ReturnType<typeof buildRunnerLine>>>;

/** The runner's own line; undefined for what something else wrote to its output. */
export function ownLine(line: JsonObject, mark: string): RunnerLine | undefined {
  const { success, data } = buildRunnerLine().safeParse(line);
  return success && data.mark === mark ? data : undefined;
}
