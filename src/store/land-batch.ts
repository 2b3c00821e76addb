import { JobError } from "../errors/job-error.ts";
import type { Clock } from "../facts/clock.ts";
import { randomToken } from "../facts/ids.ts";
import { pauseBetween } from "../facts/pause.ts";
import { type Commit, commitFiles, type NewCommit, type Person, signCommit } from "../git/commit-files.ts";
import type { Git } from "../git/git.ts";
import type { PushOutcome } from "../git/push.ts";
import type { BranchHead } from "./branch-head.ts";
import { commitMessage } from "./commit-message.ts";
import type { CommitToRead, CommittedJobs } from "./committed-jobs.ts";
import { type DecidedAt, decideAt } from "./decide-at.ts";
import { jobFileName } from "./job-file.ts";
import type { Outcome, StepFunction } from "./job-store.ts";
import { RefusedPush } from "./refused-push.ts";

export interface LandOptions {
  readonly git: Git;
  readonly remote: string;
  /** The jobs directory from the top of the repository. */
  readonly directory: string;
  readonly clock: Clock;
  /** Who the commits are from. */
  readonly author: Person;
  /** Whether commits are signed with the user's key. */
  readonly sign: boolean;
  readonly head: BranchHead;
  readonly jobs: CommittedJobs;
}

/** What became of the jobs at the front of a list that make up one commit. */
export interface Landed<Answer> {
  readonly outcomes: ReadonlyMap<string, Outcome<Answer>>;
  /** How many of the jobs were dealt with. */
  readonly covered: number;
  /** Whether a commit of ours was taken. */
  readonly wasPushed: boolean;
}

/**
 * How often a race for the branch may be lost. With the pauses below, far past what forty machines at once would need, and
 * enough to get between others who push unrelated files several times a second.
 */
const LOST_RACES_MAX = 60;
const PAUSE_MS_LEAST = 20;
/** Long enough to scatter rivals; those who push something else are not put off by our waiting longer. */
const PAUSE_MS_MOST = 250;

/** How often in a row a push may fail although nobody else pushed: rivals that are in each other's way need a moment. */
const STALLS_MAX = 8;

/** Repeated unanswered pushes mean a broken remote, not contention; and a caller is not kept waiting for longer. */
const UNANSWERED_MAX = 4;
const UNANSWERED_MS_MAX = 150_000;

/** A refusal may be a lost race in words that we do not know; a branch that moves each time is given this many tries. */
const REFUSALS_MAX = 3;

/** A commit that was offered, whose fate is not known, and what its decisions answer if it was taken. */
interface Unsettled<Answer> {
  readonly commit: Commit;
  readonly landed: Landed<Answer>;
}

/**
 * Decides jobs on the branch's head, commits what moved and offers that to the remote, until it is settled. Each round ends
 * in one of these ways:
 *
 * 1. Nothing is to be written, and the remote was just asked: that is the answer.
 * 2. Nothing is to be written, but the head may be old: ask, decide again.
 * 3. The push moved the branch: our decisions stand.
 * 4. A commit of ours that was not settled is in the branch after all: its decisions stand. The answer to its push was lost,
 *    or it was taken after we had stopped waiting.
 * 5. Somebody was faster: decide again on what they left, after a pause.
 * 6. The remote refuses: RefusedPush.
 * 7. No answer came, and our commit is not in the branch: offer it again, a few times.
 * 8. The remote cannot be asked whether our commit was taken, or may still take it: an error says that no model may run.
 */
export async function landBatch<Answer>(
  options: LandOptions,
  jobIds: readonly string[],
  step: StepFunction<Answer>,
): Promise<Landed<Answer>> {
  const { head } = options;
  const began = options.clock.monotonic();
  const unsettled: Unsettled<Answer>[] = [];
  let isFresh = head.known === undefined;
  let at = head.known ?? (await head.fetch());
  let [lostRaces, stalls, unanswered, refusals] = [0, 0, 0, 0];
  for (;;) {
    const { directory, covered } = await options.jobs.batch(at, jobIds);
    const decided = decideAt(directory, options.directory, jobIds.slice(0, covered), step);
    if (decided.files.length === 0) {
      const mayLand = unsettled.find(({ commit }) => commit.parent === at.commit);
      if (mayLand !== undefined) throw unsure("it may still be taken", "the job would be decided otherwise by now"); // 8
      if (isFresh) return { outcomes: decided.outcomes, covered, wasPushed: false }; // 1
      at = await head.fetch(); // 2
      isFresh = true;
      continue;
    }
    const commit = await makeCommit(options, at.commit, decided);
    const landed = { outcomes: decided.outcomes, covered, wasPushed: true };
    const pushed = await head.push(commit);
    if (pushed.state === "moved") return landed; // 3
    if (pushed.state === "forced") throw unsure(pushed.why, "the remote moved the branch by force");
    const before = at.commit;
    const offered: Unsettled<Answer> = { commit, landed };
    if (pushed.state === "unknown" || pushed.state === "denied") unsettled.push(offered);
    if (pushed.state !== "denied") await pauseBetween(PAUSE_MS_LEAST, Math.min(PAUSE_MS_MOST, PAUSE_MS_LEAST * 2 ** lostRaces));
    at = await lookAgain(head, pushed, unsettled.length > 0);
    const taken = await findTaken(head, at, pushed.state === "behind" && !pushed.wasSent ? unsettled : [...unsettled, offered]);
    if (taken !== undefined) return taken.landed; // 4
    isFresh = true;
    const isStalled = at.commit === before;
    stalls = isStalled ? stalls + 1 : 0;
    switch (pushed.state) {
      case "denied": // 6
        throw new RefusedPush(options.remote, await head.name(), { why: pushed.why, isAboutBranch: true });
      case "refused": {
        const { why, isAboutBranch } = pushed;
        if (isStalled || isAboutBranch || ++refusals === REFUSALS_MAX)
          throw new RefusedPush(options.remote, await head.name(), { why, isAboutBranch }); // 6
        break;
      }
      case "unknown": // 7
        if (++unanswered === UNANSWERED_MAX || options.clock.monotonic() - began > UNANSWERED_MS_MAX)
          throw unanswerable(options.remote, pushed.why); // 8
        break;
      case "behind": // 5
        if (++lostRaces === LOST_RACES_MAX) return { ...givenUp(options, jobIds.slice(0, covered)), covered, wasPushed: false };
        break;
    }
    if (stalls === STALLS_MAX) throw takesNoPush(options.remote, pushed.why);
  }
}

async function makeCommit(
  { git, clock, author, sign, directory }: LandOptions,
  parent: string | undefined,
  { files, notes }: DecidedAt<unknown>,
): Promise<Commit> {
  const what: NewCommit = { parent, message: commitMessage(notes, randomToken()), author, at: clock.now(), files };
  const made = await commitFiles(git, what);
  if (made.state === "failed") {
    const message = `git could not make a commit on ${parent ?? "a new branch"}: ${made.why}. Nothing was changed`;
    throw new JobError("IO", message, { file: directory });
  }
  if (!sign) return made.value;
  const signed = await signCommit(git, made.value, what);
  if (signed.state === "found") return signed.value;
  const remedy = "see whether git commit -S works here without a prompt, or take git.sign out of harness-wake.json";
  throw new JobError("CONFIG", `git.sign: git could not sign the commit: ${signed.why}. Nothing was changed; ${remedy}`);
}

/** The branch's head after a push that is not known to be a win. */
async function lookAgain(
  head: BranchHead,
  pushed: PushOutcome & { readonly why: string },
  mayBeTaken: boolean,
): Promise<CommitToRead> {
  try {
    return await head.fetch();
  } catch (error) {
    if (error instanceof JobError && mayBeTaken) throw unsure(pushed.why, error.message); // 8
    throw error;
  }
}

/** Of commits whose fate is not known the one that the branch holds. */
async function findTaken<Answer>(
  head: BranchHead,
  { commit: newest }: CommitToRead,
  unsettled: readonly Unsettled<Answer>[],
): Promise<Unsettled<Answer> | undefined> {
  if (newest === undefined) return undefined;
  for (const offered of unsettled) {
    const looked = await head.holds(offered.commit, newest);
    if (looked.state === "found") return offered;
    if (looked.state === "failed") throw unsure("its answer was lost", looked.why); // 8
  }
  return undefined;
}

function givenUp({ directory }: LandOptions, jobIds: readonly string[]) {
  const conflict = (jobId: string): JobError => {
    const file = `${directory}/${jobFileName(jobId)}`;
    return new JobError("CONFLICT", `${file}: others pushed first, ${LOST_RACES_MAX} times. Nothing was changed; try again`, {
      file,
    });
  };
  return { outcomes: new Map(jobIds.map((jobId) => [jobId, { error: conflict(jobId) }])) };
}

function unsure(why: string, trouble: string): JobError {
  return new JobError(
    "REMOTE_UNAVAILABLE",
    `it is not known whether our push was taken (${why}), and the remote cannot be asked: ${trouble}. Run no model; the next call settles it`,
  );
}

function unanswerable(remote: string, why: string): JobError {
  return new JobError(
    "REMOTE_UNAVAILABLE",
    `the remote "${remote}" breaks off our pushes (${why}) and holds none of them yet. Run no model; see whether git push to "${remote}" works here. The next call settles it`,
  );
}

function takesNoPush(remote: string, why: string): JobError {
  return new JobError(
    "REMOTE_UNAVAILABLE",
    `the git remote "${remote}" takes no push, though nobody else pushed: ${why}. Nothing was changed; see whether git push to "${remote}" works here`,
  );
}
