import type { ChildProcess, SpawnOptions } from "node:child_process";

/**
 * A child with these options leads a process group of its own, so that it can be ended together with everything that it
 * started. It has no terminal either: nothing in it can ask a person. Windows has no groups; there the child alone is ended.
 */
export const OWN_GROUP: SpawnOptions = { detached: process.platform !== "win32", windowsHide: true };

/** Sends the signal to one process. By the global, since to import the module `node:process` opens this process's pipes. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  return process.kill(pid, signal);
}

/** Sends the signal to a child and to everything that is still in its group. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (OWN_GROUP.detached) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // Nobody is left in it.
  }
}

const alive = new Set<ChildProcess>();
const FATAL_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Starts a child. A terminal's Ctrl-C does not reach a group of its own, so the child's group is ended when this process is,
 * until `untrack` is called. Signals are heeded before the child starts: one in between would leave it behind.
 */
export function startWithThisProcess<Child extends ChildProcess>(start: () => Child): { child: Child; untrack: () => void } {
  if (alive.size === 0) {
    process.on("exit", endAll);
    for (const signal of FATAL_SIGNALS) process.on(signal, dieOf);
  }
  try {
    const child = start();
    alive.add(child);
    return { child, untrack: () => void (alive.delete(child) && forgetSignalsIfIdle()) };
  } catch (error) {
    forgetSignalsIfIdle();
    throw error;
  }
}

function forgetSignalsIfIdle(): void {
  if (alive.size === 0) forgetSignals();
}

function endAll(): void {
  for (const child of alive) signalGroup(child, "SIGTERM");
}

/** Dies as it would have without us. A program with a handler of its own may want to finish first: its end ends them too. */
function dieOf(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  forgetSignals();
  process.kill(process.pid, signal);
}

function forgetSignals(): void {
  process.off("exit", endAll);
  for (const signal of FATAL_SIGNALS) process.off(signal, dieOf);
}
