import { hostname } from "node:os";
import { lifeSignOf, ownLife as ownThreadsLife } from "../../facts/process-life.ts";

/** One life of a worker, so that who finds what it left behind can tell whether it still lives. */
export interface WorkerLife {
  readonly host: string;
  /** Of this start of the machine; empty where the system does not tell of itself. */
  readonly boot_id: string;
  /** The space in which `pid` means something. */
  readonly pid_namespace: string;
  readonly pid: number;
  /** When it started, in ticks since boot: a pid alone is given away again. */
  readonly started_at: string;
}

export function ownLife(): WorkerLife {
  const { boot = "", pidNamespace = "", pid = 0, startedAt = "" } = ownThreadsLife() ?? {};
  return { host: hostname(), boot_id: boot, pid_namespace: pidNamespace, pid, started_at: startedAt };
}

/** Whether that worker still lives; `unknown` for one on another machine, or in another container, that we cannot see. */
export function stateOfLife(life: WorkerLife, own: WorkerLife = ownLife()): "alive" | "over" | "unknown" {
  if (life.host !== own.host || life.boot_id === "" || own.boot_id === "") return "unknown";
  // Nothing outlives its machine's boot.
  if (life.boot_id !== own.boot_id) return "over";
  const { boot_id: boot, pid_namespace: pidNamespace, pid, started_at: startedAt } = life;
  const sign = lifeSignOf({ boot, pidNamespace, pid, thread: pid, startedAt });
  return sign === "lives" ? "alive" : sign === "dead" ? "over" : "unknown";
}
