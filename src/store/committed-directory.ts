import type { JobError } from "../errors/job-error.ts";
import type { FileContent } from "../facts/read-bounded-file.ts";
import { isRegularFile, type Tree } from "../git/tree.ts";
import { isJobFileName, type JobDirectory, jobFileName, jobIdOf, type OpenedFile, openJobFile } from "./job-file.ts";
import type { JobEntry } from "./job-store.ts";

export interface CommittedFiles {
  /** How messages name the directory. */
  readonly displayName: string;
  /** Everything in the directory. */
  readonly tree: Tree;
  /** What a regular file holds. Throws JobError IO where it cannot be read. */
  read(name: string): FileContent;
  /** Why a job must not be written under this name, where it must not. */
  refusalOf(name: string): JobError | undefined;
}

/** The job files of one commit. */
export class CommittedDirectory {
  readonly #files: CommittedFiles;
  readonly #directory: JobDirectory;

  constructor(files: CommittedFiles) {
    const { displayName, tree, read } = files;
    this.#files = files;
    this.#directory = {
      displayName,
      read: (name) => {
        const entry = tree.get(name);
        return entry !== undefined && isRegularFile(entry) ? read(name) : { kind: "not_regular" };
      },
    };
  }

  /** The file of a job, where there is one. Throws JobError where git would convert such a file. */
  open(jobId: string): (OpenedFile & { readonly isExecutable: boolean }) | undefined {
    const name = jobFileName(jobId);
    const refusal = this.#files.refusalOf(name);
    if (refusal !== undefined) throw refusal;
    const entry = this.#files.tree.get(name);
    if (entry === undefined) return undefined;
    const opened = openJobFile(this.#directory, name);
    return opened && { ...opened, isExecutable: entry.mode === "100755" };
  }

  /** What a job's file says, or why it cannot be read; undefined where there is none. */
  entry(jobId: string): JobEntry | undefined {
    const error = this.#files.refusalOf(jobFileName(jobId));
    return error === undefined ? this.open(jobId)?.entry : { job_id: jobId, error };
  }

  /** Every job file, in the order of their names. */
  *entries(): Iterable<JobEntry> {
    for (const name of jobFileNamesOf(this.#files.tree)) {
      const entry = this.entry(jobIdOf(name));
      if (entry !== undefined) yield entry;
    }
  }

  namesakeOf(jobId: string): string | undefined {
    const folded = jobFileName(jobId).toLowerCase();
    const name = [...this.#files.tree.keys()].find((candidate) => candidate.toLowerCase() === folded);
    return name === undefined ? undefined : jobIdOf(name);
  }
}

export function jobFileNamesOf(tree: Tree): readonly string[] {
  return [...tree.keys()].filter(isJobFileName).sort();
}
