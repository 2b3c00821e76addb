import { JobError } from "../errors/job-error.ts";
import { formatJob } from "../job/file/format-job.ts";
import { requireJobId } from "../job/job-id.ts";
import { contentOf, type JobDirectory, jobFileName, jobIdOf, openJobFile } from "./job-file.ts";
import type { JobEntry, JobStore, Outcome, StepFunction } from "./job-store.ts";

/** Jobs in memory, as the texts of their files, for tests and for trying things out. Steps run one after another. */
export class MemoryJobStore implements JobStore {
  readonly kind = "file";
  readonly #texts: Map<string, string>;

  /** `texts` holds the text of each job file by job id; it is the store, and may be looked into. */
  constructor(texts: Map<string, string> = new Map()) {
    this.#texts = texts;
  }

  async scan(): Promise<Iterable<JobEntry>> {
    return [...this.#texts.keys()]
      .map(jobFileName)
      .sort()
      .flatMap((name) => this.#entryOf(jobIdOf(name)) ?? []);
  }

  async read(jobId: string): Promise<JobEntry | undefined> {
    requireJobId(jobId);
    return this.#entryOf(jobId);
  }

  async transact<Answer>(jobIds: readonly string[], step: StepFunction<Answer>): Promise<ReadonlyMap<string, Outcome<Answer>>> {
    jobIds.forEach(requireJobId);
    return new Map(jobIds.map((jobId) => [jobId, this.#decideOne(jobId, step)]));
  }

  #decideOne<Answer>(jobId: string, step: StepFunction<Answer>): Outcome<Answer> {
    try {
      const entry = this.#entryOf(jobId);
      if (entry?.error !== undefined) return { error: entry.error };
      const namesake = entry ? undefined : [...this.#texts.keys()].find((id) => id.toLowerCase() === jobId.toLowerCase());
      const { answer, write } = step({ job_id: jobId, job: entry?.job, namesake });
      if (write !== undefined) this.#texts.set(jobId, formatJob(write.job, `memory/${jobFileName(jobId)}`));
      return { answer };
    } catch (error) {
      if (error instanceof JobError) return { error };
      throw error;
    }
  }

  #entryOf(jobId: string): JobEntry | undefined {
    const text = this.#texts.get(jobId);
    if (text === undefined) return undefined;
    const directory: JobDirectory = { displayName: "memory", read: () => contentOf(Buffer.from(text)) };
    return openJobFile(directory, jobFileName(jobId))?.entry;
  }
}
