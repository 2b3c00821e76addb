import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { GIT_ENV } from "./git.ts";
import type { GitRemote } from "./git-remote.ts";

/**
 * Pushes files that are no jobs to the same branch: several times a second, far more than people and bots do. Two of them
 * stop before a pass that lost every race would give up, however slow the machine is.
 */
const SCRIPT = `
n=0
while [ "$n" -lt 25 ]; do
  n=$((n + 1))
  echo "$n" > "notes-$$.md"
  git add -A && git commit -q -m "note $n"
  git push -q origin HEAD:main || { git fetch -q origin && git rebase -q origin/main && git push -q origin HEAD:main; }
  sleep 0.2
done 2> /dev/null`;

export class BusyNeighbour implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #over: Promise<unknown>;

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
    this.#over = once(this.#child, "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGKILL");
    await this.#over;
  }
}
