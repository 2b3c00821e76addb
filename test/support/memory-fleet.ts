import { type Claimed, consumeDelivery } from "../../src/callback/consume-delivery.ts";
import type { Fleet } from "../../src/fleet.ts";
import { type Holds, ownersHolds } from "../../src/holds/holds.ts";
import { CURSOR_QUOTA_HOLD, type HoldRule } from "../../src/job/hold.ts";
import type { Job } from "../../src/job/job.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import type { PlainJson } from "../../src/json/plain-json.ts";
import { mailFor, type WakeMail } from "../../src/mail/wake-mail.ts";
import type { JobStore } from "../../src/store/job-store.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { Row, TickSummary } from "../../src/wake/summary.ts";
import { countingIds } from "./counting-ids.ts";
import { FakeMailer } from "./fake-mailer.ts";
import { FakePages } from "./fake-pages.ts";
import { jobDocument, TRAIN } from "./job-builder.ts";
import { JumpingClock } from "./jumping-clock.ts";
import { NOON } from "./noon.ts";

export const WORKER = "worker-one";

export type ClaimOfOurs = Claimed<{ readonly [key: string]: PlainJson }, PlainJson>;

/** A fleet whose world a test holds in its hand: jobs in memory, clock, ids, pages at HEAD and mail. */
export class MemoryFleet implements Fleet {
  readonly texts = new Map<string, string>();
  store: JobStore = new MemoryJobStore(this.texts);
  readonly clock = new JumpingClock(NOON);
  readonly ids = countingIds();
  readonly pages = new FakePages();
  readonly mailer = new FakeMailer();
  /** The rules in force; a test may lift the built-in one, as only the owner can. */
  rules: readonly HoldRule[] = [CURSOR_QUOTA_HOLD];

  get holds(): Holds {
    return ownersHolds(this.store, async () => this.rules);
  }

  /** Writes a job file that is due at noon, with these fields over the plain ones. */
  put(fields: Readonly<Record<string, unknown>> = {}, jobId = TRAIN): void {
    this.texts.set(jobId, JSON.stringify(jobDocument(jobId, { result_address: jobId, ...fields })));
  }

  /** The text of a job's file, for "nothing changed". */
  text(jobId = TRAIN): string {
    const text = this.texts.get(jobId);
    if (text === undefined) throw new Error(`there is no ${jobId}`);
    return text;
  }

  /** Rewrites a part of a job's file, as an owner with an editor would. */
  edit(fields: Readonly<Record<string, unknown>>, jobId = TRAIN): void {
    this.texts.set(jobId, JSON.stringify({ ...JSON.parse(this.text(jobId)), ...fields }));
  }

  async job(jobId = TRAIN): Promise<Job> {
    const entry = await this.store.read(jobId);
    if (entry?.job === undefined) throw entry?.error ?? new Error(`there is no ${jobId}`);
    return entry.job;
  }

  /** The receipts of one event, in their order. */
  async receipts(event: string, jobId = TRAIN): Promise<readonly Receipt[]> {
    return (await this.job(jobId)).event_receipts.filter((receipt) => receipt.event === event);
  }

  /** A pass with `--deliver`. */
  deliver(): Promise<TickSummary> {
    return runTick(this, { workerId: "gh-watchdog" });
  }

  /** A pass without `--deliver`. */
  tick(): Promise<TickSummary> {
    const { store, pages, holds, clock, ids } = this;
    return runTick({ store, pages, holds, clock, ids }, { workerId: "gh-watchdog" });
  }

  /** The mail of the job's latest attempt, as a harness that polls the store finds it. */
  async mail(jobId = TRAIN): Promise<WakeMail> {
    const mail = mailFor(await this.job(jobId));
    if (mail === undefined) throw new Error(`${jobId} offers nothing`);
    return mail;
  }

  /** Takes what the job offers now; anything but CLAIMED fails the test. */
  async claim(workerId = WORKER, jobId = TRAIN): Promise<ClaimOfOurs> {
    const answer = await consumeDelivery(this, await this.mail(jobId), { workerId });
    if (!answer.invoke_model) throw new Error(`the claim of ${jobId} was answered ${answer.state}`);
    return answer;
  }

  /** A job with these fields that was woken, mailed and claimed by {@link WORKER}. */
  async atWork(fields: Readonly<Record<string, unknown>> = {}): Promise<ClaimOfOurs> {
    this.put(fields);
    await this.deliver();
    return this.claim();
  }
}

/** The one row of a pass over one job, as `ACTION REASON`. */
export function verdict({ jobs }: { readonly jobs: readonly Row[] }): string {
  if (jobs.length !== 1) throw new Error(`the pass saw ${jobs.length} jobs`);
  return `${jobs[0]?.action} ${jobs[0]?.reason}`;
}
