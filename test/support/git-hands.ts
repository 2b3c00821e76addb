import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathWithGit } from "./script.ts";
import { tempDirectory } from "./temp-directory.ts";

/** What a call of git may come to besides what it should. */
export const GIT_FAULTS = {
  "exits 128": 'echo "fatal: Out of memory, malloc failed" >&2; exit 128',
  "is killed": "kill -9 $$",
  "prints half": 'half "$@"',
  "prints nothing": "exit 0",
  hangs: "sleep 600 & echo $! >> $LOG.pids; wait",
  "prints garbage": "head -c 300 /dev/urandom; exit 0",
  "does its work and prints garbage": '$GIT "$@" > /dev/null; head -c 300 /dev/urandom; exit 0',
  "does its work and is killed": '$GIT "$@"; kill -9 $$',
} as const;

export type GitFault = keyof typeof GIT_FAULTS;

/** A git that notes each of its calls, and can be told that one of them comes to something else. */
export class GitHands {
  readonly path: string;
  readonly #log = join(tempDirectory(), "calls");

  constructor() {
    const cases = Object.entries(GIT_FAULTS).map(([fault, script]) => `"${fault}") ${script};;`);
    this.path = pathWithGit(`LOG=${this.#log}
echo "$*" >> $LOG
# What answers while it is asked is cut off, anything else is cut after it ended.
half() {
  case "$*" in
    *--batch-command*) $GIT "$@" | head -c 60; exit 0;;
    *) $GIT "$@" > $LOG.out; head -c $(($(wc -c < $LOG.out) / 2)) $LOG.out; exit 0;;
  esac
}
if [ "$(wc -l < $LOG)" = "$GIT_FAULT_AT" ]; then
  case "$GIT_FAULT" in
    ${cases.join("\n    ")}
  esac
fi
exec $GIT "$@"`);
  }

  /** The environment in which the call of this number, from 1, meets the fault. */
  env(at: number, fault: GitFault): Readonly<Record<string, string>> {
    return { PATH: this.path, GIT_FAULT_AT: String(at), GIT_FAULT: fault };
  }

  /** The calls so far, each as its words. */
  get calls(): readonly string[] {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").split("\n").slice(0, -1) : [];
  }

  /** Where the process ids of those that hang are, one a line. */
  get hanging(): readonly number[] {
    const pids = `${this.#log}.pids`;
    return existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : [];
  }
}
