import type { Environment } from "./environment.ts";
import { EXIT, type ExitCode, exitCodeOfError } from "./exit-code.ts";

export interface TickLoop {
  readonly everyMs: number;
  /** One whole pass, with its report put out. */
  tick(): Promise<void>;
  /** Tells of a pass that failed. */
  tellError(error: unknown): void;
  readonly stopping: AbortSignal;
  readonly stoppingAtOnce: AbortSignal;
}

/**
 * Ticks until told to stop, and gives the exit code. A pass that is under way is finished first; told twice, it is left, which
 * loses nothing (contract §4). One pass follows another, so it never overlaps itself: a pass that took too long leaves out the
 * moments that it covered. A pass that fails is told, and the next one comes all the same. Only a first pass whose call or
 * config is wrong throws: somebody just typed it, and it would fail for ever.
 */
export async function runTickLoop(
  loop: TickLoop,
  { monotonic, pause }: Pick<Environment, "monotonic" | "pause">,
): Promise<ExitCode> {
  const startedAt = monotonic();
  const given = whenAborted(loop.stoppingAtOnce);
  for (let isFirst = true; !loop.stopping.aborted; isFirst = false) {
    const pass = loop.tick().catch((error: unknown) => {
      if (isFirst && exitCodeOfError(error) === EXIT.usage) throw error;
      loop.tellError(error);
    });
    if ((await Promise.race([pass, given])) === LEFT) return EXIT.environment;
    const sinceLast = (monotonic() - startedAt) % loop.everyMs;
    if (!loop.stopping.aborted) await pause(loop.everyMs - sinceLast, loop.stopping);
  }
  return EXIT.done;
}

const LEFT = Symbol("left");

function whenAborted(signal: AbortSignal): Promise<typeof LEFT> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(LEFT);
    else signal.addEventListener("abort", () => resolve(LEFT), { once: true });
  });
}
