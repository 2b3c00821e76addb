import { explain } from "../report/explanation.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { lookAt } from "./fleet-look.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { oneJob } from "./one-job.ts";
import type { Cli } from "./verb.ts";

export function addWhyVerb({ program, environment, report }: Cli): void {
  const verb = program.command("why <job_id>").description("explain what the next tick decides on a job, and when that changes");
  withExample(withFleetOptions(verb), "harness-wake why nightly-report").action(async (jobId: string, flags: FleetOptions) => {
    const fleet = await openFleetFor(flags, environment);
    const entry = await oneJob(fleet, jobId, { report, environment });
    if (entry === undefined) return;
    const { facts, knowsPages } = await lookAt(fleet, [entry], environment);
    const explanation = explain(entry.job, facts);
    report({
      record: { ok: true, state: "EXPLAINED", ...explanation },
      text: async (screen) => (await import("./why-text.ts")).whyLines(explanation, screen),
      exit: knowsPages ? EXIT.done : EXIT.partly,
    });
  });
}
