import { join } from "node:path/posix";
import { JobError } from "../errors/job-error.ts";
import { complaintOf } from "../git/git.ts";
import { type GitHeadOptions, resolveGitHead } from "../git/git-head.ts";
import type { PageAtHead } from "../job/decide.ts";
import type { PageOracle, PagesAtHead } from "./page-oracle.ts";

export interface GitHeadPagesOptions extends GitHeadOptions {
  /** The pages directory, relative to where git runs: `p`. */
  readonly pagesDirectory: string;
}

/** Past this many addresses one listing of the whole directory is the shorter command line. */
const ADDRESSES_BY_NAME_MAX = 500;

/** The id of a file with nothing in it, in either of git's hashes. Known ids save asking for every file's size. */
const EMPTY_BLOBS = [
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

/** Pages as the commit at git HEAD holds them; what is only in the work tree, the index or an unpushed commit is not there. */
export class GitHeadPages implements PageOracle {
  readonly #options: GitHeadPagesOptions;

  constructor(options: GitHeadPagesOptions) {
    this.#options = options;
  }

  async atHead(): Promise<PagesAtHead> {
    const commit = await resolveGitHead(this.#options);
    return { states: (addresses) => this.#states(commit, addresses) };
  }

  async #states(commit: string | undefined, addresses: readonly string[]): Promise<ReadonlyMap<string, PageAtHead>> {
    const durable = commit === undefined ? new Set<string>() : await this.#durablePaths(commit, addresses);
    return new Map(addresses.map((address) => [address, durable.has(this.#pathOf(address)) ? "durable" : "absent"]));
  }

  async #durablePaths(commit: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
    const paths =
      addresses.length <= ADDRESSES_BY_NAME_MAX
        ? addresses.map((address) => this.#pathOf(address))
        : [join(this.#options.pagesDirectory, "/")];
    const listed = await this.#options.git.run(["ls-tree", "-z", commit, "--", ...paths]);
    if (listed.exit_code !== 0) {
      throw new JobError(
        "TRUTH_UNAVAILABLE",
        `git cannot list the pages at ${commit.slice(0, 12)}: ${complaintOf(listed)}. Nothing was changed`,
      );
    }
    return new Set(listed.stdout.split("\0").flatMap((line) => durablePath(line) ?? []));
  }

  #pathOf(address: string): string {
    // Joined as git writes paths, so that a directory may be spelled ./p or p/.
    return join(this.#options.pagesDirectory, `${address}.md`);
  }
}

/** The path of a `git ls-tree` line that shows a regular file with something in it. */
function durablePath(line: string): string | undefined {
  const entry = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s.exec(line);
  return entry?.[1] === undefined || EMPTY_BLOBS.includes(entry[1]) ? undefined : entry[2];
}
