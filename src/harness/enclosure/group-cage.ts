import type { Cage, EnclosedProgram } from "./enclosure.ts";
import { sendSignal } from "./process-table.ts";

/** A run on a system that shows no processes: only what stays in the first one's process group is reached. */
export class GroupCage implements Cage {
  #pid: number | undefined;

  wrap({ argv }: EnclosedProgram): readonly [string, ...string[]] {
    return argv;
  }

  entered(pid: number): void {
    this.#pid = pid;
  }

  ask(): boolean {
    return this.#signal("SIGTERM");
  }

  isEmpty(): boolean {
    return this.#pid === undefined || !sendSignal(-this.#pid, 0);
  }

  release(): void {}

  killAll(): void {
    this.#signal("SIGKILL");
  }

  async close(): Promise<void> {
    this.#signal("SIGKILL");
    this.#pid = undefined;
  }

  #signal(signal: NodeJS.Signals): boolean {
    if (this.#pid === undefined) return false;
    // Where there are no process groups the first process has to do.
    return sendSignal(-this.#pid, signal) || sendSignal(this.#pid, signal);
  }
}
