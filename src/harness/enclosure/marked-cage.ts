import { pauseBetween } from "../../facts/pause.ts";
import type { Cage, EnclosedProgram } from "./enclosure.ts";
import { descendantsOf, readProcesses, readProcFile, sendSignal } from "./process-table.ts";
import { Reaper } from "./reaper.ts";

/** The variable that every process of a run carries. What it holds is random, and no other run's. */
export const MARK_VARIABLE = "HARNESS_WAKE_RUN";

/** A run that starts processes faster than they are found is given up on. */
const SWEEPS_MAX = 100;
const SWEEP_PAUSE_MS = 20;

const REAP_BY_MARK = `n=0
while [ "$n" -lt ${SWEEPS_MAX} ]; do
  found=$(grep -lsF -- "$0" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
  for file in $found; do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null
  done
  n=$((n + 1))
  sleep 0.0${SWEEP_PAUSE_MS}
done`;

/**
 * A run without a namespace: its processes are known by a mark in their environment, by their parents, and by their process
 * group. Missed is what has none of the three, as `env -i setsid program &` after its parent ended.
 */
export class MarkedCage implements Cage {
  readonly #mark: string;
  readonly #path: string;
  #reaper: Reaper | undefined;
  #pid: number | undefined;

  constructor(mark: string, path: string) {
    this.#mark = `${MARK_VARIABLE}=${mark}`;
    this.#path = path;
  }

  wrap({ argv }: EnclosedProgram): readonly [string, ...string[]] {
    this.#reaper = new Reaper(REAP_BY_MARK, this.#mark, this.#path);
    return argv;
  }

  entered(pid: number): void {
    this.#pid = pid;
  }

  ask(): boolean {
    return this.#signal("SIGTERM");
  }

  isEmpty(): boolean {
    return this.#members().length === 0;
  }

  release(): void {}

  killAll(): void {
    this.#signal("SIGKILL");
  }

  async close(): Promise<void> {
    for (let sweep = 0; sweep < SWEEPS_MAX && this.#signal("SIGKILL"); sweep++)
      await pauseBetween(SWEEP_PAUSE_MS, SWEEP_PAUSE_MS);
    await this.#reaper?.clearUp();
  }

  #signal(signal: NodeJS.Signals): boolean {
    const members = this.#members();
    for (const pid of members) sendSignal(pid, signal);
    return members.length > 0;
  }

  #members(): readonly number[] {
    const live = readProcesses().filter(({ isZombie }) => !isZombie);
    const below = this.#pid === undefined ? [] : descendantsOf(this.#pid, live).map(({ pid }) => pid);
    const marked = live.filter(({ pid }) => readProcFile(pid, "environ")?.split("\0").includes(this.#mark)).map(({ pid }) => pid);
    const first = live.filter(({ pid }) => pid === this.#pid).map(({ pid }) => pid);
    return [...new Set([...first, ...below, ...marked])];
  }
}
