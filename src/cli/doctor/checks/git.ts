import { whyUnusable } from "../../../git/git-version.ts";
import { complaintOf } from "../../../git/git-words.ts";
import type { Check } from "../check.ts";
import type { Examined } from "../examined.ts";
import { type Finding, note, ok, trouble } from "../finding.ts";
import { quoted } from "../quoted.ts";

const SILENCE_MS = 30_000;

export const gitCheck: Check = {
  name: "git",
  look: async (examined) => {
    const { place, environment, hasRepository, isGitStore, git } = examined;
    const unusable = await whyUnusable(place.root, environment.env, SILENCE_MS);
    if (unusable !== undefined) {
      return [trouble(unusable, "no page can be seen, and no job on a git remote", { decision: "install it, or mend PATH" })];
    }
    if (!hasRepository) {
      const found = `${place.root} is no git repository`;
      const remedy = { command: `git -C ${quoted(place.root)} init` };
      return isGitStore
        ? [trouble(found, "a fleet with a git store lives in one", remedy)]
        : [note(found, "pages cannot be verified, and no hold can be lifted here", remedy)];
    }
    const version = await git.run(["version"]);
    return [ok(version.stdout.trim()), await identity(examined)];
  },
};

/** The commits of harness-wake bring their own; agents and people commit pages under this one. */
async function identity({ git }: Examined): Promise<Finding> {
  const asked = await git.run(["var", "GIT_AUTHOR_IDENT"]);
  if (asked.exit_code === 0) return ok(`git commits as ${asked.stdout.trim().replace(/ \d+ [+-]\d+$/, "")}`);
  const means = "agents that run here cannot commit their pages";
  const decision = "say whose commits they are: git config --global user.name NAME; git config --global user.email ADDRESS";
  return trouble(`git does not know who commits: ${complaintOf(asked).split("\n")[0]}`, means, { decision });
}
