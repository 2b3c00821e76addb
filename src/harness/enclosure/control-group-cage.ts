import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";
import { pauseBetween } from "../../facts/pause.ts";
import type { Cage, EnclosedProgram } from "./enclosure.ts";
import { sendSignal } from "./process-table.ts";
import { Reaper } from "./reaper.ts";

/** Enters the group first, then becomes the program. */
const ENTER = 'echo $$ >"$0/cgroup.procs" && exec "$@"';

const REAP_GROUP = `echo 1 >"$0/cgroup.kill"
n=0
while [ -d "$0" ] && [ "$n" -lt 100 ]; do
  find "$0" -depth -type d -exec rmdir {} + 2>/dev/null
  n=$((n + 1))
  sleep 0.02
done`;

/** How often an emptied group is looked at until the kernel calls it empty. */
const LOOKS_MAX = 200;
const LOOK_PAUSE_MS = 10;

/** A run in a control group (version 2) of its own, below the worker's: whoever is in it cannot get out by forking. */
export class ControlGroupCage implements Cage {
  readonly #directory: string;
  readonly #path: string;
  #reaper: Reaper | undefined;

  constructor(parent: string, mark: string, path: string) {
    this.#directory = join(parent, `harness-wake-${mark}`);
    this.#path = path;
  }

  wrap({ argv }: EnclosedProgram): readonly [string, ...string[]] {
    mkdirSync(this.#directory);
    this.#reaper = new Reaper(REAP_GROUP, this.#directory, this.#path);
    return ["sh", "-c", ENTER, this.#directory, ...argv];
  }

  entered(): void {}

  ask(): boolean {
    const inside = (this.#read("cgroup.procs") ?? "").split("\n").filter((line) => line !== "");
    for (const pid of inside) sendSignal(Number(pid), "SIGTERM");
    return inside.length > 0;
  }

  isEmpty(): boolean {
    return !/^populated 1$/m.test(this.#read("cgroup.events") ?? "");
  }

  release(): void {}

  killAll(): void {
    try {
      writeFileSync(join(this.#directory, "cgroup.kill"), "1");
    } catch (error) {
      // Gone already: then so is everything that was in it.
      if (errnoOf(error) === undefined) throw error;
    }
  }

  async close(): Promise<void> {
    this.killAll();
    for (let look = 0; look < LOOKS_MAX && !this.isEmpty(); look++) await pauseBetween(LOOK_PAUSE_MS, LOOK_PAUSE_MS);
    await this.#reaper?.clearUp();
  }

  #read(file: string): string | undefined {
    try {
      return readFileSync(join(this.#directory, file), "utf8");
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }
}

/** The worker's own control group, where runs may get theirs; undefined where version 2 is not mounted. */
export function ownControlGroup(): string | undefined {
  try {
    const own = /^0::(\/.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    // `… <root> <mount point> … - cgroup2 …`
    const mounted = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(readFileSync("/proc/self/mountinfo", "utf8"));
    const [, root = "/", mountPoint] = mounted ?? [];
    if (own === undefined || mountPoint === undefined) return undefined;
    return join(mountPoint, own.startsWith(root) ? own.slice(root === "/" ? 0 : root.length) : own);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
