import { EXIT } from "./exit-code.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { placeLine } from "./place-line.ts";
import { tell } from "./report.ts";
import { table } from "./table.ts";
import type { Cli } from "./verb.ts";

interface ListedJob {
  readonly job_id: string | null;
  readonly status: string;
  readonly attempt_count: number | null;
  readonly next_wake_at: string | null;
  readonly harness: string | null;
  readonly objective: string;
}

export function addListVerb({ program, environment, report }: Cli): void {
  withFleetOptions(program.command("list").description("list the jobs, a line each")).action(async (flags: FleetOptions) => {
    const fleet = await openFleetFor(flags, environment);
    const jobs: ListedJob[] = [];
    const whole: object[] = [];
    let areAllReadable = true;
    for (const { job_id, job, error } of await fleet.store.scan()) {
      if (job === undefined) {
        areAllReadable = false;
        tell(error.message, environment);
        jobs.push({
          job_id,
          status: error.code,
          attempt_count: null,
          next_wake_at: null,
          harness: null,
          objective: error.message,
        });
        whole.push({ job_id, status: error.code, message: error.message });
        continue;
      }
      const { status, attempt_count, next_wake_at, harness, objective } = job;
      jobs.push({ job_id, status, attempt_count, next_wake_at, harness, objective });
      whole.push(job);
    }
    const rows = (): string[][] =>
      jobs.map((job) => [job.job_id ?? "?", job.status, `${job.attempt_count ?? "-"}`, job.next_wake_at ?? "-", job.objective]);
    report({
      record: { ok: areAllReadable, state: "LISTED", jobs },
      rows: () => whole,
      text: () =>
        `${jobs.length === 0 ? "no jobs\n" : table(["JOB", "STATUS", "ATTEMPTS", "NEXT WAKE", "OBJECTIVE"], rows())}${placeLine(fleet)}\n`,
      exit: areAllReadable ? EXIT.done : EXIT.partly,
    });
  });
}
