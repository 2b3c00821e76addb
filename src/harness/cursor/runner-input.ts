import { isJsonObject, type JsonObject } from "../../json/json.ts";
import { z } from "../../json/zod.ts";
import type { Authority } from "../tools/tool.ts";

/** What the runner is told on standard input, the key among it: of all ways in, this is the one that nothing else can read. */
export const buildRunnerInput = () => {
  const text = z.string();
  const count = z.int().check(z.gte(0));
  /** `mark` stands on each line that the runner writes: what else writes to its output does not know it. `app` is where the SDK is. */
  const common = { mark: text, app: text };
  return z.discriminatedUnion("task", [
    z.strictObject({
      task: z.literal("probe"),
      ...common,
      /** Directories that a run must not be able to write to. */
      closed: z.array(text),
    }),
    z.strictObject({
      task: z.literal("run"),
      ...common,
      key: text,
      model: text,
      system_prompt: z.exactOptional(text),
      message: text,
      /** The workspace. */
      directory: text,
      /** A directory for this run alone, in which the SDK gets its home, and the shell one. */
      scratch: text,
      /** Where the shell writes, beside its home. */
      writable: z.array(text),
      authority: z.enum(["read_only", "read_write"] satisfies Authority[]),
      schema: z.union([z.literal("outcome"), z.custom<JsonObject>(isJsonObject)]),
      limits: z.strictObject({ turnsMax: count, timeMsMax: count, rejectionsMax: count }),
      tokens_max: count,
    }),
  ]);
};

export type RunnerInput = Readonly<z.infer<ReturnType<typeof buildRunnerInput>>>;
export type RunTask = Extract<RunnerInput, { readonly task: "run" }>;
export type ProbeTask = Extract<RunnerInput, { readonly task: "probe" }>;
