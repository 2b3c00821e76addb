import { type Applied, applied, endedAnswer, notFound, type Refused } from "../answer.ts";
import { type Decided, decideOne, type Fleet } from "../fleet.ts";
import type { PageState } from "../job/decide.ts";
import type { Job, TerminalStatus } from "../job/job.ts";
import { requireJobId } from "../job/job-id.ts";

/** What an owner's call makes of a job; `already_so` where it was made before. */
export type OwnersMove<Refusal extends string> =
  | { readonly to: Job }
  | { readonly refused: Refused<Refusal> }
  | { readonly askPage: string }
  | "already_so";

type Move<Refusal extends string> = (job: Job, pages: ReadonlyMap<string, PageState>) => OwnersMove<Refusal>;

type OwnersAnswer<State extends string, Refusal extends string> = Applied<State> | Refused<Refusal | "NOT_FOUND">;

/** A call that an owner makes on a job, answered with `state`. A job that is not there is refused here. */
export async function decideAsOwner<State extends string, Refusal extends string>(
  fleet: Fleet,
  jobId: string,
  state: State,
  move: Move<Refusal>,
): Promise<OwnersAnswer<State, Refusal>> {
  requireJobId(jobId);
  return decideOne(fleet, jobId, ({ job }, pages): Decided<OwnersAnswer<State, Refusal>> => {
    if (job === undefined) return { answer: notFound(jobId) };
    const moved = move(job, pages);
    if (moved === "already_so") return { answer: { ...applied(state, jobId), replay: true } };
    if ("askPage" in moved) return moved;
    if ("refused" in moved) return { answer: moved.refused };
    return { answer: applied(state, jobId), write: { job: moved.to, note: `${state} ${jobId}` } };
  });
}

/** {@link decideAsOwner} for a call that a terminal job refuses. */
export function decideOnLiveJob<State extends string, Refusal extends string>(
  fleet: Fleet,
  jobId: string,
  state: State,
  move: Move<Refusal>,
): Promise<OwnersAnswer<State, Refusal | TerminalStatus>> {
  return decideAsOwner<State, Refusal | TerminalStatus>(fleet, jobId, state, (job, pages) => {
    const ended = endedAnswer(job);
    return ended === undefined ? move(job, pages) : { refused: ended };
  });
}
