import { isLeaseLive, type Job } from "../../../job/job.ts";
import type { Seconds } from "../../../job/time.ts";
import { timelineOf } from "../../../report/timeline.ts";
import type { Check } from "../check.ts";
import { type Finding, ok, trouble } from "../finding.ts";

/** One may fail by accident. */
const BURNED_MIN = 2;

const JOBS_MAX = 10;

/** A lease in which hardly a harness can read its mail, start and claim. */
const SHORT_LEASE_SECONDS = 600;

export const burnedAttemptsCheck: Check = {
  name: "attempts",
  look: async (examined) => {
    const jobs = (await examined.jobs())
      .flatMap(({ job }) => job ?? [])
      .filter(({ status }) => status !== "DONE" && status !== "CANCELLED");
    const findings = jobs.flatMap((job) => burned(job, examined.now));
    if (findings.length === 0) return [ok("no job uses up its attempts in vain")];
    const more = findings.length - JOBS_MAX;
    const rest = more > 0 ? [trouble(`and ${more} more`, "they may have one cause", { command: "harness-wake status" })] : [];
    return [...findings.slice(0, JOBS_MAX), ...rest];
  },
};

function burned(job: Job, now: Seconds): readonly Finding[] {
  const { attempts } = timelineOf(job);
  const over = attempts.filter((_, i) => i < attempts.length - 1 || !isLeaseLive(job, now));
  const vain = over.filter(
    ({ offered_at, ended_by }) => offered_at !== undefined && ended_by !== "ack" && ended_by !== "checkpoint",
  );
  const unclaimed = vain.filter(({ claimed_at }) => claimed_at === undefined).length;
  // Without mail an offer that nobody took up uses an attempt up; with mail it is offered again.
  if (vain.length < BURNED_MIN) return [];
  const { job_id, attempt_count, max_attempts, lease_seconds } = job;
  const failed = vain.length - unclaimed;
  const found = `${job_id}: ${vain.length} of ${attempt_count} attempts brought nothing (${unclaimed} never claimed, ${failed} failed or lapsed); at most ${max_attempts} may run`;
  if (unclaimed > failed && lease_seconds < SHORT_LEASE_SECONDS && job.status !== "EXHAUSTED") {
    const means = `a lease of ${lease_seconds} s is over before a harness can claim`;
    return [trouble(found, means, { command: `harness-wake update ${job_id} --lease-seconds 3600` })];
  }
  const decision =
    unclaimed > failed
      ? `let a worker take its offers: harness-wake work --harness ${job.harness} …`
      : `read what each attempt said, then change the job or its harness: harness-wake show ${job_id}`;
  return [trouble(found, "it ends as exhausted when they are used up", { decision })];
}
