import { JobError } from "../errors/job-error.ts";
import type { FileContent } from "../facts/read-bounded-file.ts";
import type { TreeEntry } from "../git/read-objects.ts";
import { contentOf, isJobFileName, type JobDirectory, jobFileName, jobIdOf, type OpenedFile, openJobFile } from "./job-file.ts";

/** The job files of one commit. */
export class CommittedDirectory {
  readonly #directory: JobDirectory;
  readonly #entries: ReadonlyMap<string, TreeEntry>;
  readonly #contents: ReadonlyMap<string, Buffer | undefined>;

  /** `entries` are those of the whole directory, `contents` of the files that were read. */
  constructor(displayName: string, entries: ReadonlyMap<string, TreeEntry>, contents: ReadonlyMap<string, Buffer | undefined>) {
    this.#entries = entries;
    this.#contents = contents;
    const read = (name: string): FileContent => {
      if (!isRegular(entries.get(name))) return { kind: "not_regular" };
      const bytes = contents.get(name);
      if (bytes !== undefined) return contentOf(bytes);
      const file = `${displayName}/${name}`;
      throw new JobError("IO", `${file}: git cannot read it from the commit; run git fsck. Nothing was changed`, { file });
    };
    this.#directory = { displayName, read };
  }

  /** The names of the job files that were read, or that cannot be. */
  keys(): Iterable<string> {
    return [...this.#entries.keys()].filter(
      (name) => isJobFileName(name) && (this.#contents.has(name) || !isRegular(this.#entries.get(name))),
    );
  }

  get(name: string): (OpenedFile & { readonly isExecutable: boolean }) | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const opened = openJobFile(this.#directory, name);
    return opened && { ...opened, isExecutable: entry.mode === "100755" };
  }

  namesakeOf(jobId: string): string | undefined {
    const folded = jobFileName(jobId).toLowerCase();
    const name = [...this.#entries.keys()].find((candidate) => candidate.toLowerCase() === folded);
    return name === undefined ? undefined : jobIdOf(name);
  }
}

export function isRegular(entry: TreeEntry | undefined): boolean {
  return entry?.mode.startsWith("100") ?? false;
}
