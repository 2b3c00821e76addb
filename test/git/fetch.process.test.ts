import { expect, test } from "vitest";
import { FETCH } from "../../src/git/fetch.ts";
import { openGit } from "../../src/git/open-git.ts";
import { GIT_ENV } from "../support/git.ts";
import { addRemote, commitAll, freshRepository, writeIn } from "../support/git-repository.ts";

test("a fetch says how far it is, so that a long one over a slow line is not taken for hanging", async () => {
  const writer = freshRepository();
  writeIn(writer, "README.md", "A fleet.\n");
  commitAll(writer);
  const remote = addRemote(writer);
  const git = openGit({ directory: freshRepository(), env: GIT_ENV });
  const fetched = await git.run([...FETCH, `file://${remote}`, "+refs/heads/main:refs/remotes/origin/main"]);
  expect(fetched).toMatchObject({
    exit_code: 0,
    stderr: expect.stringMatching(/Counting objects|Receiving objects|Unpacking objects/),
  });
});
