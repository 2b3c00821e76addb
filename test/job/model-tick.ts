import fc from "fast-check";
import { expect } from "vitest";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { mailFor, type WakeMail } from "../../src/mail/wake-mail.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import type { MailWeather } from "../support/fake-mailer.ts";
import { command } from "./model-command.ts";
import { modelClaim } from "./reference-calls.ts";
import { modelMail, modelTick, TICKER } from "./reference-tick.ts";

/** A pass. Its mail may be fast: then a harness claims before the pass could note what became of the mail. */
export const ticks = fc
  .record({
    weather: fc.constantFrom<MailWeather>("up", "up", "up", "down", "down", "unreached", "crash"),
    delivers: fc.boolean(),
    isFast: fc.constantFrom(false, false, false, true),
  })
  .map(({ weather, delivers, isFast }) =>
    command(
      `tick${delivers ? `, deliver, mail ${weather}${isFast ? ", fast" : ""}` : ""}`,
      ({ job, world }) => {
        const row = modelTick(job, world, delivers);
        if (!delivers || row.action !== "WAKE") return row;
        if (weather === "crash") return "died";
        // Mail that this mailer does not reach has no receipt, as where the process died after the wake.
        if (weather === "unreached") return row;
        if (isFast) modelClaim(job, world, row.attempt ?? 0, FAST_WORKER, FAST_CLAIM);
        modelMail(job, world.now, weather === "up" ? "MAIL" : "FAILED");
        return row;
      },
      async ({ fleet, offers, claims }, { world: { mails: promisesMail } }) => {
        fleet.mailer.weather = weather;
        let mail: WakeMail | undefined;
        fleet.mailer.onSent = async () => {
          if (!isFast) return;
          mail = await fleet.mail();
          const answer = await consumeDelivery(fleet, mail, { workerId: FAST_WORKER, claimId: FAST_CLAIM });
          if (answer.invoke_model) claims.push(answer);
        };
        const { store, pages, holds, clock, ids, mailer } = fleet;
        const ports = { store, pages, holds, clock, ids, promisesMail, ...(delivers && { mailer }) };
        const before = (await fleet.job()).lease?.lease_id;
        const row = await rowOf(runTick(ports, { workerId: TICKER }));
        const job = await fleet.job();
        mail ??= mailFor(job);
        const leaseId = job.lease?.lease_id;
        if (mail && leaseId !== undefined && leaseId !== before) offers.push({ mail, leaseId });
        return row;
      },
    ),
  );

const FAST_WORKER = "worker-fast";
const FAST_CLAIM = "claim-while-it-was-mailed";

async function rowOf(pass: Promise<TickSummary>): Promise<unknown> {
  try {
    const row = (await pass).jobs[0];
    if (row === undefined) throw new Error("the pass saw no job");
    expect(row.invoke_model).toBe(row.action === "WAKE");
    const { action, reason, attempt_id } = row;
    return { action, reason, ...(action === "WAKE" && { attempt: Number(attempt_id?.split("-a").at(-1)) }) };
  } catch (error) {
    if (error instanceof Error && /the process died/.test(error.message)) return "died";
    throw error;
  }
}
