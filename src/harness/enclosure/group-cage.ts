import type { Cage, EnclosedProgram } from "./enclosure.ts";
import { sendSignal } from "./process-table.ts";
import { Reaper } from "./reaper.ts";

const REAP_GROUP = 'kill -s KILL -- "-$0"';

/** A run on a system that shows no processes: only what stays in the first one's process group is reached. */
export class GroupCage implements Cage {
  readonly #path: string;
  #reaper: Reaper | undefined;
  #pid: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  wrap({ argv }: EnclosedProgram): readonly [string, ...string[]] {
    return argv;
  }

  entered(pid: number): void {
    this.#pid = pid;
    this.#reaper = new Reaper(REAP_GROUP, `${pid}`, this.#path);
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
    await this.#reaper?.clearUp();
    this.#pid = undefined;
  }

  #signal(signal: NodeJS.Signals): boolean {
    if (this.#pid === undefined) return false;
    // Where there are no process groups the first process has to do.
    return sendSignal(-this.#pid, signal) || sendSignal(this.#pid, signal);
  }
}
