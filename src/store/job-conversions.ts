import { JobError } from "../errors/job-error.ts";
import { type AttributesFile, conversionsOf } from "../git/attributes.ts";
import type { Git } from "../git/git.ts";

/** Stands for any job file: what is said of a whole directory is said of this. */
const ANY_JOB = "any-job-0000.json";

export interface CommittedAttributes {
  readonly files: readonly AttributesFile[];
  /** Whether any of the files speaks of a conversion at all; most do not, and then no job needs a look of its own. */
  readonly mentionConversions: boolean;
}

/** What git would do to job files between a commit and a work tree. A store that writes commits directly must not skip it. */
export class JobConversions {
  readonly #git: Git;
  readonly #directory: string;
  /** The attributes under which no job file is converted; they change seldom. */
  readonly #plain = new Set<string>();

  constructor(git: Git, directory: string) {
    this.#git = git;
    this.#directory = directory;
  }

  /**
   * The jobs that git would convert, by file name, each with its refusal. Throws JobError CONFIG where that is so of every
   * job, IO where git does not say.
   */
  async refusals(
    { files, mentionConversions }: CommittedAttributes,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, JobError>> {
    const key = files.map(({ path, id }) => `${path} ${id}`).join("\n");
    if (this.#plain.has(key)) return new Map();
    const asked = [ANY_JOB, ...(mentionConversions ? names : [])];
    const paths = asked.map((name) => `${this.#directory}/${name}`);
    const conversions = await conversionsOf(this.#git, files, paths);
    if (conversions.state !== "found") {
      const why = conversions.state === "failed" ? conversions.why : "there is no answer";
      throw new JobError("IO", `git cannot say how it converts ${this.#directory}: ${why}. Nothing was changed`);
    }
    const ofAny = conversions.value.get(`${this.#directory}/${ANY_JOB}`);
    if (ofAny !== undefined) throw refusal(this.#directory, ofAny);
    if (!mentionConversions) this.#plain.add(key);
    return new Map(
      names.flatMap((name) => {
        const path = `${this.#directory}/${name}`;
        const conversion = conversions.value.get(path);
        return conversion === undefined ? [] : [[name, refusal(path, conversion)] as const];
      }),
    );
  }
}

function refusal(file: string, conversion: string): JobError {
  const what = `git converts it (${conversion} in .gitattributes), and a git store, which writes commits directly, would not`;
  return new JobError("CONFIG", `${file}: ${what}; take the attribute off the job files, or name another directory as jobs_dir`, {
    file,
  });
}
