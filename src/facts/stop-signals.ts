import process from "node:process";

export interface StopSignals {
  /** The first SIGTERM or SIGINT: end in order. */
  readonly stopping: AbortSignal;
  /** A second one: end at once. */
  readonly stoppingAtOnce: AbortSignal;
  /** Gives the signals their usual meaning back. */
  release(): void;
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Catches the process's orders to stop, until released. */
export function catchStopSignals(): StopSignals {
  const first = new AbortController();
  const second = new AbortController();
  const onSignal = (): void => (first.signal.aborted ? second.abort() : first.abort());
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    stopping: first.signal,
    stoppingAtOnce: second.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
