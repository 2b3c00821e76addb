import { JobError } from "../errors/job-error.ts";
import type { NewFile } from "../git/commit-files.ts";
import { formatJob } from "../job/file/format-job.ts";
import type { CommittedDirectory } from "./committed-directory.ts";
import { jobFileName } from "./job-file.ts";
import type { Outcome, StepFunction } from "./job-store.ts";

/** What the decisions on some jobs come to, on the files of one commit: one new commit, or none. */
export interface DecidedAt<Answer> {
  readonly outcomes: ReadonlyMap<string, Outcome<Answer>>;
  readonly files: readonly NewFile[];
  /** For people, one for each file. */
  readonly notes: readonly string[];
}

/** Decides jobs on the files of a commit. When one of them is deferred nothing is written, and only the deferred are answered. */
export function decideAt<Answer>(
  directory: CommittedDirectory,
  /** From the top of the repository. */
  path: string,
  jobIds: readonly string[],
  step: StepFunction<Answer>,
): DecidedAt<Answer> {
  const outcomes = new Map<string, Outcome<Answer>>();
  const files: NewFile[] = [];
  const notes: string[] = [];
  const deferred = new Map<string, Outcome<Answer>>();
  for (const jobId of jobIds) {
    try {
      const opened = directory.open(jobId);
      if (opened?.entry.error !== undefined) throw opened.entry.error;
      const namesake = opened === undefined ? directory.namesakeOf(jobId) : undefined;
      const { answer, write, isDeferred } = step({ job_id: jobId, job: opened?.entry.job, namesake });
      outcomes.set(jobId, { answer });
      if (isDeferred) deferred.set(jobId, { answer });
      if (write === undefined) continue;
      const file = `${path}/${jobFileName(jobId)}`;
      const text = formatJob(write.job, file);
      if (text === opened?.text) continue;
      files.push({ path: file, text, isExecutable: opened?.isExecutable ?? false });
      notes.push(write.note);
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      outcomes.set(jobId, { error });
    }
  }
  return deferred.size > 0 ? { outcomes: deferred, files: [], notes: [] } : { outcomes, files, notes };
}
