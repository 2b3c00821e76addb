import { readdirSync, readFileSync } from "node:fs";
import { errnoOf } from "../../errors/io-error.ts";
import { signalProcess } from "../../facts/process-group.ts";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Ended, and only waits for its parent to notice. */
  readonly isZombie: boolean;
  /** When it started, in the kernel's ticks since boot: with the pid it names one process for good. */
  readonly startedAt: string;
}

/** Whether this system shows its processes under `/proc`. Without it, descendants cannot be looked for. */
export function hasProcessTable(): boolean {
  return readProcess("self") !== undefined;
}

/** Every process that is there now. What ends while it is read is left out. */
export function readProcesses(): readonly ProcessEntry[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readProcess(name) ?? []) : []));
}

export function readProcess(pid: number | "self" | string): ProcessEntry | undefined {
  const stat = readProcFile(pid, "stat");
  // `4711 (any (name) at all) S 1 …`: only what follows the last bracket can be told apart.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, startedAt] = [fields?.[0], fields?.[1], fields?.[STARTED_AT_FIELD]];
  if (stat === undefined || startedAt === undefined) return undefined;
  return { pid: Number.parseInt(stat, 10), parent: Number(parent), isZombie: state === "Z" || state === "X", startedAt };
}

/** Counted from the state, which is field 3 of proc(5)'s stat; the start is field 22. */
const STARTED_AT_FIELD = 19;

/** A file of a process's directory; undefined where the process is gone, or another user's. */
export function readProcFile(pid: number | string, file: "stat" | "environ"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** All processes below the given one. Under a PID namespace's init that is everything inside: what is orphaned falls to it. */
export function descendantsOf(ancestor: number, processes: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const childrenOf = Map.groupBy(processes, ({ parent }) => parent);
  const found = new Set<ProcessEntry>();
  const queue = [ancestor];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of childrenOf.get(next) ?? []) {
      // A table is read over some milliseconds, in which a number may be given away again: it could hold a circle.
      if (found.has(child)) continue;
      found.add(child);
      queue.push(child.pid);
    }
  }
  return [...found];
}

/**
 * Sends a signal; false where there is nobody to send it to, or none that may be. A negative pid is a
 * process group, and signal 0 only asks.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return signalProcess(pid, signal);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
