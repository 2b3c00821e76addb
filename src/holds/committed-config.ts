import { CONFIG_BYTES_MAX, CONFIG_FILE, type Config, parseConfig } from "../config/config.ts";
import { JobError } from "../errors/job-error.ts";
import { readCommittedFile } from "../git/committed-path.ts";
import type { Git } from "../git/git.ts";
import { resolveGitHead } from "../git/git-head.ts";

/** `harness-wake.json` as the owner committed it. */
export type CommittedConfig =
  | { readonly state: "found"; readonly config: Config }
  /** There is no regular file of that name. */
  | { readonly state: "absent" }
  /** It is there and cannot be used. */
  | { readonly state: "unfit"; readonly why: string };

/**
 * The config at the head of the remote's default branch, or with no remote at the local HEAD (contract §5). No setting moves
 * it: who can choose the branch could choose what it says. Throws JobError TRUTH_UNAVAILABLE where git cannot say.
 */
export async function readCommittedConfig(git: Git, remote: string | undefined): Promise<CommittedConfig> {
  const commit = await resolveGitHead({ git, remote });
  if (commit === undefined) return { state: "absent" };
  const source = `${CONFIG_FILE} at the head of the default branch (${commit.slice(0, 12)})`;
  const file = await readCommittedFile(git, commit, CONFIG_FILE, CONFIG_BYTES_MAX);
  switch (file.state) {
    case "absent":
      return { state: "absent" };
    case "failed":
      throw new JobError(
        "TRUTH_UNAVAILABLE",
        `${source} cannot be read: ${file.why}. Nothing was changed; mend it, or try again`,
      );
    case "found":
      return parsed(file.value, source);
  }
}

function parsed(bytes: Buffer, source: string): CommittedConfig {
  try {
    return { state: "found", config: parseConfig(bytes, source) };
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return { state: "unfit", why: error.message };
  }
}
