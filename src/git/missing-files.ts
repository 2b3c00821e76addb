import { FETCH } from "./fetch.ts";
import type { Git } from "./git.ts";

/**
 * Fetches in one go the files of a directory that a partial clone does not hold yet; git by itself would fetch each of them
 * when it is read. Where this fails nothing is lost: whoever reads a file that is still missing is told.
 */
export async function fetchMissingFiles(git: Git, remote: string, commit: string, directory: string): Promise<void> {
  const listed = await git.run(["rev-list", "--objects", "--missing=print", `${commit}:${directory}`]);
  const missing = listed.stdout.split("\n").filter((line) => line.startsWith("?"));
  if (listed.exit_code !== 0 || missing.length < 2) return;
  await git.run(["-c", "fetch.negotiationAlgorithm=noop", ...FETCH, "--filter=blob:none", "--stdin", remote], {
    input: missing.map((line) => `${line.slice(1)}\n`).join(""),
  });
}
