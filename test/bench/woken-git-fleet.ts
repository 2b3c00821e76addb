import { consumeDelivery, type Fleet } from "../../src/callback/index.ts";
import { openFleet } from "../../src/compose.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { dueJob } from "../support/due-job.ts";
import { FakeMailer } from "../support/fake-mailer.ts";
import { GIT_ENV } from "../support/git.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { NOON } from "../support/noon.ts";

export function gitFleetAt(clone: string): Promise<Fleet> {
  return openFleet({ dir: clone, store: "git", now: NOON, env: GIT_ENV });
}

/** A bare remote on this machine whose jobs were all woken, and a way to claim each from any clone of it. */
export async function wokenGitFleet(jobIds: readonly string[]) {
  const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
  const watchdog = await gitFleetAt(remote.clone());
  await runTick({ ...watchdog, mailer: new FakeMailer() }, { workerId: "bench" });
  const mails = new Map<string, unknown>();
  for (const { job } of await watchdog.store.scan()) if (job !== undefined) mails.set(job.job_id, mailFor(job));
  const claim = async (fleet: Fleet, jobId: string): Promise<void> => {
    const { state } = await consumeDelivery(fleet, mails.get(jobId), { workerId: "bench" });
    if (state !== "CLAIMED") throw new Error(`the claim of ${jobId} was answered ${state}`);
  };
  return { remote, claim };
}
