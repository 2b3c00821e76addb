import { JobError } from "../errors/job-error.ts";
import { jobFileName } from "./job-file.ts";
import type { Outcome, StepFunction } from "./job-store.ts";
import { type Landed, type LandOptions, landBatch } from "./land-batch.ts";
import { RefusedPush } from "./refused-push.ts";

/** So many jobs refused alone, and none taken: it is not about their content. */
const REFUSED_ALONE_MAX = 4;

/** What a whole transaction has come to so far. */
interface Progress<Answer> {
  readonly outcomes: Map<string, Outcome<Answer>>;
  wasPushed: boolean;
  /** Refusals of pushes that held one job alone, in which the remote does not name it. */
  readonly refusals: JobError[];
}

/**
 * Lands a transaction of any size. Jobs that are too large together go in several commits. A push that is refused for what
 * one file holds is split, so that this job alone is an error and the others land; once something has landed, what fails
 * after it is an error of the jobs that it concerns, and no longer of the call.
 */
export async function landAll<Answer>(
  options: LandOptions,
  jobIds: readonly string[],
  step: StepFunction<Answer>,
): Promise<ReadonlyMap<string, Outcome<Answer>>> {
  const progress: Progress<Answer> = { outcomes: new Map(), wasPushed: false, refusals: [] };
  await landPart(options, jobIds, step, progress);
  const [refusal] = progress.refusals;
  if (refusal !== undefined && !progress.wasPushed) throw refusal;
  return new Map(
    jobIds.flatMap((jobId) => {
      const outcome = progress.outcomes.get(jobId);
      return outcome === undefined ? [] : [[jobId, outcome] as const];
    }),
  );
}

async function landPart<Answer>(
  options: LandOptions,
  jobIds: readonly string[],
  step: StepFunction<Answer>,
  progress: Progress<Answer>,
): Promise<void> {
  for (let pending = jobIds; pending.length > 0; ) {
    let landed: Landed<Answer>;
    try {
      landed = await landBatch(options, pending, step);
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      return landApart(options, pending, step, progress, error);
    }
    for (const [jobId, outcome] of landed.outcomes) progress.outcomes.set(jobId, outcome);
    progress.wasPushed ||= landed.wasPushed;
    pending = pending.slice(landed.covered);
  }
}

async function landApart<Answer>(
  options: LandOptions,
  jobIds: readonly string[],
  step: StepFunction<Answer>,
  progress: Progress<Answer>,
  error: JobError,
): Promise<void> {
  const refused = error instanceof RefusedPush && !error.refusal.isAboutBranch ? error : undefined;
  const named = refused ? jobIds.filter((jobId) => error.message.includes(jobFileName(jobId))) : [];
  if (refused && jobIds.length > 1) {
    // Whom the remote names is offered alone, and the others without them. It is the status of each push that counts.
    const others = jobIds.filter((jobId) => !named.includes(jobId));
    const half = Math.ceil(jobIds.length / 2);
    const isNamed = named.length > 0 && others.length > 0;
    const parts = isNamed ? [others, ...named.map((jobId) => [jobId])] : [jobIds.slice(0, half), jobIds.slice(half)];
    for (const part of parts) await landPart(options, part, step, progress);
    return;
  }
  if (refused && named.length === 0) progress.refusals.push(error);
  const isHopeless = !refused || progress.refusals.length === REFUSED_ALONE_MAX;
  if (isHopeless && !progress.wasPushed) throw error;
  for (const jobId of jobIds) progress.outcomes.set(jobId, { error: refused ? refusedFor(options, jobId, refused) : error });
}

function refusedFor({ directory, remote }: LandOptions, jobId: string, refused: RefusedPush): JobError {
  const file = `${directory}/${jobFileName(jobId)}`;
  const message = `${file}: the remote "${remote}" will not take it: ${refused.refusal.why}. This job is as it was, and others go on; mend what the remote names`;
  return new JobError(refused.code, message, { file, cause: refused });
}
