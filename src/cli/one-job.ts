import { refusal } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import type { ReadJob } from "../store/job-store.ts";
import { reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";

/** The job that a verb is about; undefined, and reported as NOT_FOUND, where there is none. Throws the JobError of a broken file. */
export async function oneJob(
  { store }: Pick<Fleet, "store">,
  jobId: string,
  { report, environment }: Pick<Cli, "report" | "environment">,
): Promise<ReadJob | undefined> {
  const entry = await store.read(jobId);
  if (entry?.error !== undefined) throw entry.error;
  if (entry === undefined) report(reportAnswer(refusal("NOT_FOUND", jobId, `there is no job ${jobId}`), "", environment));
  return entry;
}
