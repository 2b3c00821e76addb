import { JobError } from "../errors/job-error.ts";
import { catchStopSignals } from "../facts/stop-signals.ts";
import type { Environment } from "./environment.ts";
import type { ExitCode } from "./exit-code.ts";
import type { FleetOptions } from "./fleet-options.ts";
import { runTickLoop } from "./tick-loop.ts";

/** Ticks every so many seconds until the process is told to stop. Throws JobError USAGE for a call that cannot be repeated. */
export async function tickEvery(
  { every, now }: FleetOptions & { readonly every?: number },
  tick: () => Promise<void>,
  tellError: (error: unknown) => void,
  environment: Environment,
): Promise<ExitCode> {
  if (now !== undefined) {
    throw new JobError("USAGE", "--now stands still, and --every goes on; leave one of them out", { field: "now" });
  }
  const everyMs = Math.max(1, every ?? 0) * 1000;
  const signals = catchStopSignals();
  try {
    return await runTickLoop({ everyMs, tick, tellError, ...signals }, environment);
  } finally {
    signals.release();
  }
}
