import type { Answer } from "../../src/answer.ts";
import { type Claimed, consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { systemClock } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import type { PlainJson } from "../../src/json/plain-json.ts";
import type { WakeMail } from "../../src/mail/wake-mail.ts";
import { cancelJob } from "../../src/owner/change-job.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { FakeMailer } from "./fake-mailer.ts";
import { FakePages } from "./fake-pages.ts";
import { LineLog } from "./line-log.ts";
import { noHolds } from "./no-holds.ts";

/**
 * A rival in a process of its own: a deed arms it, `"go"` lets it do it. What a claim answered goes into the log first:
 * that log is what was seen, whatever the job files say.
 */
const [directory = "", log = "", ...durable] = process.argv.slice(2);

export type Claim = Claimed<{ readonly [key: string]: PlainJson }, PlainJson>;

export type Deed = { readonly at: number } & (
  | { readonly kind: "claim"; readonly mail: WakeMail }
  | {
      readonly kind: "finish";
      readonly claim: Claim;
      readonly workerId: string;
      readonly checkpoint: Readonly<Record<string, PlainJson>>;
      readonly result?: PlainJson;
    }
  | { readonly kind: "cancel"; readonly jobId: string }
  | { readonly kind: "tick" }
);

export type RivalAnswer = Answer | { readonly verdicts: readonly string[] } | { readonly thrown: string };

/** A line of the log. */
export interface SeenClaim {
  readonly attempt_id: string | undefined;
  readonly state: string;
  readonly invoke_model: boolean;
  readonly by: number;
}

const claims = new LineLog<SeenClaim>(log);
let deed: Deed | undefined;
const clock = { now: () => deed?.at ?? 0, monotonic: systemClock.monotonic };
const store = new FileJobStore({ directory, clock });
const fleet = { store, pages: new FakePages(...durable), holds: noHolds, clock, ids: randomIds };

process.on("message", (message: Deed | "go") => {
  if (message === "go") {
    act(deed).then(answer, (error: unknown) => answer({ thrown: String(error) }));
  } else {
    deed = message;
    answer("armed");
  }
});
process.on("disconnect", () => process.exit());

async function act(armed: Deed | undefined): Promise<RivalAnswer> {
  const workerId = `rival-${process.pid}`;
  switch (armed?.kind) {
    case "claim": {
      const claim = await consumeDelivery(fleet, armed.mail, { workerId });
      const { attempt_id, state, invoke_model } = claim;
      claims.append({ attempt_id, state, invoke_model, by: process.pid });
      return claim;
    }
    case "finish":
      return finishDelivery(fleet, armed.claim, armed);
    case "cancel":
      return cancelJob(fleet, armed.jobId, "no longer wanted");
    case "tick": {
      const { jobs } = await runTick({ ...fleet, mailer: new FakeMailer() }, { workerId });
      return { verdicts: jobs.map(({ action, reason }) => `${action} ${reason}`) };
    }
    case undefined:
      throw new Error("told to go before it was armed");
  }
}

function answer(message: RivalAnswer | "armed"): void {
  process.send?.(message);
}
