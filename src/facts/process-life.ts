import { readFileSync, readlinkSync } from "node:fs";

/** What tells one thread of one process from every other, also from a later one that gets the same numbers. */
export interface Life {
  /** 12 hex digits that the kernel draws at each boot. */
  readonly boot: string;
  /** The namespace in which the numbers below count. */
  readonly pidNamespace: string;
  readonly pid: number;
  readonly thread: number;
  /** When the thread started, in clock ticks since the boot. */
  readonly startedAt: string;
}

export type LifeSign = "lives" | "dead" | "unknown";

let own: { readonly life: Life | undefined } | undefined;

/** The thread that asks; undefined where the system does not say (no Linux, or a /proc of another namespace). */
export function ownLife(): Life | undefined {
  own ??= { life: readOwnLife() };
  return own.life;
}

function readOwnLife(): Life | undefined {
  const boot = textOf("/proc/sys/kernel/random/boot_id")?.replaceAll("-", "").slice(0, 12);
  const thread = /^(\d+)\/task\/(\d+)$/.exec(linkOf("/proc/thread-self") ?? "");
  const pidNamespace = /^pid:\[(\d+)\]$/.exec(linkOf("/proc/self/ns/pid") ?? "")?.[1];
  const startedAt = threadStat("/proc/thread-self/stat")?.startedAt;
  if (boot === undefined || pidNamespace === undefined || startedAt === undefined || thread === null) return undefined;
  // A container may see the /proc of its host: then these are not the numbers by which it knows its own processes.
  if (Number(thread[1]) !== process.pid) return undefined;
  return { boot, pidNamespace, pid: process.pid, thread: Number(thread[2]), startedAt };
}

/**
 * Whether a thread still runs. Unknown where this process cannot look: after another boot, from another PID namespace, or
 * where /proc hides other users' processes.
 */
export function lifeSignOf({ boot, pidNamespace, pid, thread, startedAt }: Life): LifeSign {
  const self = ownLife();
  if (self?.boot !== boot || self.pidNamespace !== pidNamespace) return "unknown";
  const found = threadStat(`/proc/${pid}/task/${thread}/stat`);
  // A killed process that nobody has waited for is a zombie: it keeps its number and does nothing any more.
  if (found !== undefined) return found.startedAt === startedAt && !/[ZXx]/.test(found.state) ? "lives" : "dead";
  if (!isProcess(pid)) return "dead";
  return threadStat(`/proc/${pid}/stat`) === undefined ? "unknown" : "dead";
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** The state and the start of a thread (proc(5), fields 3 and 22). The name before them may hold spaces and brackets. */
function threadStat(path: string): { readonly state: string; readonly startedAt: string } | undefined {
  const text = textOf(path);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
}

/** undefined where the system does not say: each caller treats that as not knowing. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
