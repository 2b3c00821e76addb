import { expect, test } from "vitest";
import { openGit } from "../../src/git/open-git.ts";
import { GIT_ENV } from "../support/git.ts";
import { freshRepository } from "../support/git-repository.ts";

test.each(["EDITOR", "VISUAL", "PAGER", "GIT_EDITOR", "GIT_PAGER", "SSH_ASKPASS", "GIT_SSH_COMMAND", "PREFIX", "LESS"])(
  "a user's %s does not keep git from being used",
  async (name) => {
    const git = openGit({ directory: freshRepository(), env: { ...GIT_ENV, [name]: "/nowhere/vi --wait" } });
    expect(await git.run(["symbolic-ref", "HEAD"])).toMatchObject({ exit_code: 0, stdout: "refs/heads/main\n" });
  },
);
