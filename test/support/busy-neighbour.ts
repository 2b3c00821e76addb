import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { GIT_ENV } from "./git.ts";
import type { GitRemote } from "./git-remote.ts";

/**
 * Pushes files that are no jobs to the same branch until it is stopped: several times a second, far more than people and
 * bots do. With no pause at all it would be a remote that nobody else can ever reach, on a machine that is busy enough.
 */
const SCRIPT = `
n=0
while :; do
  n=$((n + 1))
  echo "$n" > "notes-$$.md"
  git add -A && git commit -q -m "note $n"
  git push -q origin HEAD:main || { git fetch -q origin && git rebase -q origin/main && git push -q origin HEAD:main; }
  sleep 0.2
done 2> /dev/null`;

export class BusyNeighbour implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(remote: GitRemote) {
    const author = {
      GIT_AUTHOR_NAME: "N",
      GIT_AUTHOR_EMAIL: "n@example.net",
      GIT_COMMITTER_NAME: "N",
      GIT_COMMITTER_EMAIL: "n@e.net",
    };
    // A group of its own, so that its git ends with it.
    this.#child = spawn("sh", ["-c", SCRIPT], {
      cwd: remote.clone(),
      env: { ...GIT_ENV, ...author },
      stdio: "ignore",
      detached: true,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const over = once(this.#child, "exit");
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    await over;
  }
}
