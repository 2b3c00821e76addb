import type { Cage, EnclosedProgram } from "./enclosure.ts";
import { descendantsOf, type ProcessEntry, readProcesses, sendSignal } from "./process-table.ts";

/**
 * A run under a PID namespace: the process that we start stays outside and waits for one child, the namespace's init, under
 * which everything else lives. When init ends, the kernel ends all that is inside, before anybody is told.
 */
export class PidNamespaceCage implements Cage {
  readonly wrap: (program: EnclosedProgram) => readonly [string, ...string[]];
  #outer: number | undefined;

  constructor(wrap: (program: EnclosedProgram) => readonly [string, ...string[]]) {
    this.wrap = wrap;
  }

  entered(pid: number): void {
    this.#outer = pid;
  }

  ask(): boolean {
    const init = this.#init();
    if (init === undefined) return false;
    // A stopped init cannot notice that the first process ended, and so does not end the rest. It goes on by itself never:
    // release or killAll follow, and a worker that dies takes a stopped process with it like any other.
    sendSignal(init, "SIGSTOP");
    const inside = liveBelow(init);
    for (const { pid } of inside) sendSignal(pid, "SIGTERM");
    if (inside.length === 0) sendSignal(init, "SIGCONT");
    return inside.length > 0;
  }

  isEmpty(): boolean {
    const init = this.#init();
    return init === undefined || liveBelow(init).length === 0;
  }

  release(): void {
    const init = this.#init();
    if (init !== undefined) sendSignal(init, "SIGCONT");
  }

  killAll(): void {
    const init = this.#init();
    // Init first: the outer process then ends by itself, after everything inside did.
    if (init !== undefined) sendSignal(init, "SIGKILL");
    else if (this.#outer !== undefined) sendSignal(this.#outer, "SIGKILL");
  }

  async close(): Promise<void> {
    this.#outer = undefined;
  }

  #init(): number | undefined {
    return this.#outer === undefined ? undefined : readProcesses().find(({ parent }) => parent === this.#outer)?.pid;
  }
}

function liveBelow(init: number): readonly ProcessEntry[] {
  return descendantsOf(init, readProcesses()).filter(({ isZombie }) => !isZombie);
}
