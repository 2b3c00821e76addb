import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { pauseBetween } from "../../facts/pause.ts";

/** How long a reaper may take to clear up. */
const CLEAR_MS_MAX = 10_000;

/**
 * A process of its own that clears up behind a run when the worker cannot: it waits on a pipe that only the worker holds, so
 * it notices its end, however it came. A shell, since it lives as long as the run and must cost next to nothing.
 */
export class Reaper {
  readonly #child: ChildProcess;
  readonly #over: Promise<unknown>;

  /** `script` runs after the end of the pipe, with `subject` as its `$0`. */
  constructor(script: string, subject: string, path: string) {
    this.#child = spawn("sh", ["-c", `cat >/dev/null\n${script}`, subject], {
      // In a session of its own: a signal to the worker's terminal or group must not reach it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: path },
    });
    this.#child.on("error", () => undefined);
    this.#child.stdin?.on("error", () => undefined);
    this.#over = once(this.#child, "close").catch(() => undefined);
  }

  /** Has it clear up now, and waits for that. One that the run has killed has nothing left to say. */
  async clearUp(): Promise<void> {
    this.#child.stdin?.end();
    const timeout = new AbortController();
    await Promise.race([this.#over, pauseBetween(CLEAR_MS_MAX, CLEAR_MS_MAX, timeout.signal)]);
    timeout.abort();
    this.#child.kill("SIGKILL");
  }
}
