import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { pid as ownPid } from "node:process";
import { errnoOf } from "../../errors/io-error.ts";
import { readProcess, sendSignal } from "./process-table.ts";

/** One life of a worker, so that who finds what it left behind can tell whether it still lives. */
export interface WorkerLife {
  readonly host: string;
  /** Of this start of the machine; empty where the system does not tell. */
  readonly boot_id: string;
  /** The space in which `pid` means something. */
  readonly pid_namespace: string;
  readonly pid: number;
  /** When it started, in ticks since boot: a pid alone is given away again. */
  readonly started_at: string;
}

export function ownLife(): WorkerLife {
  return {
    host: hostname(),
    boot_id: bootId(),
    pid_namespace: ownPidNamespace(),
    pid: ownPid,
    started_at: readProcess("self")?.startedAt ?? "",
  };
}

/** Whether that worker still lives; `unknown` for one on another machine, or in another container, that we cannot see. */
export function stateOfLife(life: WorkerLife, own: WorkerLife = ownLife()): "alive" | "over" | "unknown" {
  if (life.host !== own.host) return "unknown";
  if (life.boot_id !== own.boot_id) return "over";
  if (life.pid_namespace !== own.pid_namespace) return "unknown";
  if (own.started_at === "") return sendSignal(life.pid, 0) ? "alive" : "over";
  const there = readProcess(life.pid);
  return there !== undefined && !there.isZombie && there.startedAt === life.started_at ? "alive" : "over";
}

function bootId(): string {
  return orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

function ownPidNamespace(): string {
  return orEmpty(() => readlinkSync("/proc/self/ns/pid"));
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return "";
  }
}
