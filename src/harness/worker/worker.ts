import type { Answer } from "../../answer.ts";
import { JobError } from "../../errors/job-error.ts";
import type { HoldName } from "../../job/hold.ts";
import type { Inbox } from "../../mail/inbox.ts";
import type { WakeMail } from "../../mail/wake-mail.ts";
import type { AttemptRecords } from "./attempt-record.ts";
import { Doorbell } from "./doorbell.ts";
import { settleLeftBehind } from "./left-behind.ts";
import { type RanAttempt, runAttempt } from "./run-attempt.ts";
import type { RunPorts, StopRequest } from "./run-ports.ts";
import { settle } from "./settle.ts";
import { CLOCK_BEHIND_MAX, isPassing, OfferTaker, type TakenOffer } from "./take-offers.ts";
import type { WorkerEvent } from "./worker-event.ts";
import { holdOverWorker } from "./worker-hold.ts";

export interface WorkerPorts extends RunPorts {
  readonly records: AttemptRecords;
  /** Where mail says that there is work; without one the store alone does. */
  readonly inbox: Inbox | undefined;
  readonly tell: (event: WorkerEvent) => void;
  /** Told to stop: it takes no more, and lets what runs end within the grace. */
  readonly stopping: AbortSignal;
  /** Told to stop at once. */
  readonly stoppingAtOnce: AbortSignal;
}

export interface WorkerOptions {
  /** End when nothing is offered any more, instead of waiting for more. */
  readonly once: boolean;
  readonly concurrency: number;
  /** Between two looks at the store, in milliseconds. */
  readonly lookEveryMs: number;
  /** How long runs may go on after the worker was told to stop, in milliseconds. */
  readonly graceMs: number;
}

export interface WorkerSummary {
  readonly claimed: number;
  /** Attempts that the store took as CHECKPOINT or DONE. */
  readonly finished: number;
  readonly failed: number;
  /** Outcomes that the store could not be told yet. */
  readonly kept: number;
  /** The hold that covered the worker when it ended: then it took nothing. */
  readonly held?: HoldName;
}

const SETTLE_WAIT_MS_FIRST = 1_000;
const SETTLE_WAIT_MS_MOST = 60_000;

/** After the order to stop, an outcome is offered so often before it is left to the next worker. */
const SETTLE_TRIES_STOPPING = 3;

/** Takes attempts off a fleet and runs an agent for each (contract §11). Ends when told to, or with `once` when nothing is left. */
export class Worker {
  readonly #ports: WorkerPorts;
  readonly #options: WorkerOptions;
  readonly #taker: OfferTaker;
  readonly #bell = new Doorbell();
  readonly #running = new Map<string, Promise<void>>();
  readonly #counts = { claimed: 0, finished: 0, failed: 0, kept: 0 };
  #stopAtMs: number | undefined;
  #held: HoldName | undefined;

  constructor(ports: WorkerPorts, options: WorkerOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#taker = new OfferTaker(ports.fleet, ports.claimant, ports.timing.clock, ports.records);
  }

  async run(): Promise<WorkerSummary> {
    const { stopping, stoppingAtOnce, timing, tell } = this.#ports;
    const orderedStop = (): void => {
      this.#stopAtMs ??= timing.clock.monotonic() + this.#options.graceMs;
      tell({ event: "stopping", message: "taking no more; what runs may end" });
      this.#bell.ring();
    };
    stopping.addEventListener("abort", orderedStop, { once: true });
    const orderedStopAtOnce = (): void => {
      this.#stopAtMs = timing.clock.monotonic();
    };
    stoppingAtOnce.addEventListener("abort", orderedStopAtOnce, { once: true });
    const listening = this.#listen(AbortSignal.any([stopping, stoppingAtOnce]));
    await this.#settleLeftBehind();
    while (!stopping.aborted) {
      const isIdle = await this.#takeWhatIsOffered();
      if (isIdle && this.#options.once && this.#running.size === 0) break;
      await this.#bell.wait(this.#options.lookEveryMs, timing.pause);
    }
    await Promise.all(this.#running.values());
    stopping.removeEventListener("abort", orderedStop);
    stoppingAtOnce.removeEventListener("abort", orderedStopAtOnce);
    listening.stop();
    await listening.ended;
    return { ...this.#counts, ...(this.#held !== undefined && { held: this.#held }) };
  }

  /** A mail is a hint: it makes the worker look at the store at once. */
  #listen(stopping: AbortSignal): { stop(): void; readonly ended: Promise<void> } {
    const { inbox, claimant } = this.#ports;
    const over = new AbortController();
    const signal = AbortSignal.any([stopping, over.signal]);
    const follow = async (): Promise<void> => {
      if (inbox === undefined || this.#options.once) return;
      for await (const mail of inbox.listen(signal)) if (mail.harness === claimant.harness) this.#bell.ring();
    };
    return { stop: () => over.abort(), ended: follow() };
  }

  async #settleLeftBehind(): Promise<void> {
    for (const found of await settleLeftBehind(this.#ports.fleet, this.#ports.records)) {
      if (found instanceof JobError) this.#ports.tell({ event: "note", message: found.message });
      else this.#tellLeftBehind(found.attempt_id, found.answer);
    }
  }

  #tellLeftBehind(attempt_id: string, answer: Answer | JobError): void {
    const what = "an earlier worker left this attempt behind";
    const why = answer instanceof JobError ? `${what}; the store cannot be told: ${answer.message}` : `${what}: ${answer.state}`;
    this.#ports.tell({ event: "note", attempt_id, message: why });
  }

  /** Claims and starts what there is room for. True where nothing was offered that could be taken. */
  async #takeWhatIsOffered(): Promise<boolean> {
    try {
      const hold = await holdOverWorker(this.#ports);
      this.#held = hold?.name;
      if (hold !== undefined) {
        this.#ports.tell({ event: "held", state: hold.name, message: hold.note });
        return true;
      }
      let isIdle = true;
      const { mails, clockBehind } = await this.#taker.look();
      if (clockBehind > CLOCK_BEHIND_MAX) {
        const message = `this machine's clock is ${clockBehind} s behind the fleet's; set it right. Attempts that were offered in its future are left alone`;
        this.#ports.tell({ event: "note", message });
      }
      for (const mail of mails) {
        if (this.#running.size >= this.#options.concurrency || this.#ports.stopping.aborted) return false;
        if (this.#running.has(mail.attempt_id)) continue;
        const taken = await this.#tryTake(mail);
        if (taken === undefined) continue;
        isIdle = false;
        this.#start(taken);
      }
      return isIdle;
    } catch (error) {
      this.#noteTrouble(error);
      // With `once`, a store that cannot be asked is the end of it: whoever called may call again.
      return true;
    }
  }

  /** One offer that cannot be claimed keeps the worker from no other. */
  async #tryTake(mail: WakeMail): Promise<TakenOffer | undefined> {
    try {
      return await this.#taker.take(mail);
    } catch (error) {
      this.#noteTrouble(error, mail.attempt_id);
      return undefined;
    }
  }

  /** Tells of what may be better in a moment, and passes on what is a bug. */
  #noteTrouble(error: unknown, attempt_id?: string): void {
    if (!isPassing(error)) throw error;
    this.#ports.tell({ event: "note", ...(attempt_id !== undefined && { attempt_id }), message: error.message });
  }

  #start(taken: TakenOffer): void {
    const { job_id, attempt_id, objective } = taken.claim;
    this.#counts.claimed++;
    this.#ports.tell({ event: "claimed", job_id, attempt_id, objective });
    const attempt = this.#runAndSettle(taken).finally(() => {
      this.#running.delete(attempt_id);
      this.#bell.ring();
    });
    this.#running.set(attempt_id, attempt);
  }

  async #runAndSettle(taken: TakenOffer): Promise<void> {
    const { claim, record, claimedAtMs } = taken;
    const stopRequest: StopRequest = () =>
      this.#stopAtMs === undefined ? undefined : { atMs: this.#stopAtMs, why: "its worker was told to stop" };
    const ran = await runAttempt(this.#ports, claim, claimedAtMs, {
      stopRequest,
      keep: (settled) => this.#ports.records.put({ ...record, settled }),
    });
    for (const message of ran.notes) this.#ports.tell({ event: "note", attempt_id: claim.attempt_id, message });
    await this.#settle(taken, ran);
  }

  /** Tells the store what the run came to, again and again while it cannot be reached. */
  async #settle({ claim }: TakenOffer, ran: RanAttempt): Promise<void> {
    const { fleet, claimant, records, timing, tell, stopping, stoppingAtOnce } = this.#ports;
    const { job_id, attempt_id } = claim;
    for (let tries = 1, waitMs = SETTLE_WAIT_MS_FIRST; ; tries++, waitMs = Math.min(2 * waitMs, SETTLE_WAIT_MS_MOST)) {
      try {
        const answer = await settle(fleet, claim, claimant, ran.run);
        records.remove(attempt_id);
        this.#tellEnd(answer, ran);
        return;
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (stoppingAtOnce.aborted || (stopping.aborted && tries >= SETTLE_TRIES_STOPPING)) {
          this.#counts.kept++;
          tell({ event: "kept", job_id, attempt_id, message: `${error.message}. The outcome is kept; the next worker tells it` });
          return;
        }
        await timing.pause(waitMs, waitMs, stoppingAtOnce);
      }
    }
  }

  #tellEnd(answer: Answer, { run, logFile }: RanAttempt): void {
    const { job_id, state, message } = answer;
    const ok = state === "CHECKPOINT" || state === "DONE";
    this.#counts[ok ? "finished" : "failed"]++;
    const why = run.settlement.kind === "fail" ? run.settlement.detail : message;
    this.#ports.tell({
      event: "ended",
      job_id,
      attempt_id: answer.attempt_id ?? "",
      state,
      ok,
      ...(why !== undefined && { message: why }),
      ...(run.usage.tokensUsed !== undefined && { tokens_used: run.usage.tokensUsed }),
      ...(run.usage.costUsd !== undefined && { cost_usd: run.usage.costUsd }),
      ...(logFile !== undefined && { log_file: logFile }),
    });
  }
}
