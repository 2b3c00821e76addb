import { afterAll, expect, test } from "vitest";
import { FETCH, openGit } from "../../src/git/git.ts";
import { GIT_TEST_ENV, GitSandbox } from "../support/git-repository.ts";

const sandbox = new GitSandbox();
afterAll(() => sandbox.remove());

test("a fetch says how far it is, so that a long one over a slow line is not taken for hanging", async () => {
  const remote = sandbox.initBare();
  const writer = sandbox.clone(remote);
  writer.write("README.md", "A fleet.\n");
  writer.commitAll();
  writer.git("push", "--quiet", "origin", "HEAD:main");
  const reader = sandbox.init();
  const git = openGit({ directory: reader.directory, env: GIT_TEST_ENV });
  const fetched = await git.run([...FETCH, `file://${remote}`, "+refs/heads/main:refs/remotes/origin/main"]);
  expect(fetched).toMatchObject({
    exit_code: 0,
    stderr: expect.stringMatching(/Counting objects|Receiving objects|Unpacking objects/),
  });
});
