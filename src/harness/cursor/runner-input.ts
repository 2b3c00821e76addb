import { z } from "../../json/zod.ts";

/** What the runner is told on standard input, the key among it: of all ways in, this is the one that nothing else can read. */
export const buildRunnerInput = () =>
  z.discriminatedUnion("task", [
    z.strictObject({
      task: z.literal("probe"),
      /** Stands on each line that the runner writes; what else writes to its output does not know it. */
      mark: z.string(),
      /** Where the SDK is. */
      app: z.string(),
      /** Directories that a run must not be able to write to. */
      closed: z.array(z.string()),
    }),
  ]);

export type RunnerInput = Readonly<z.infer<ReturnType<typeof buildRunnerInput>>>;
