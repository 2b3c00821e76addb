import fc from "fast-check";
import { expect, test } from "vitest";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import type { WakeMail } from "../../src/mail/wake-mail.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, WORKER } from "../support/memory-fleet.ts";
import { atNoon } from "../support/noon.ts";

const DONE = "harbor-done-00001";
const ASLEEP = "harbor-asleep-001";
const HELD = "harbor-held-0001";

/** What `consumeDelivery` may answer to a stranger; no other word, and CLAIMED only to the one right mail. */
const REFUSALS = ["NO_MAIL", "NOT_FOUND", "CURSOR_QUOTA_HOLD", "STALE_ATTEMPT", "DONE"];

async function fleetOfFour(): Promise<MemoryFleet> {
  const fleet = new MemoryFleet();
  fleet.put({ status: "DONE" }, DONE);
  fleet.put({ next_wake_at: atNoon(3600) }, ASLEEP);
  fleet.put({ harness: "cursor" }, HELD);
  fleet.put();
  await fleet.deliver();
  return fleet;
}

/** Texts like those that a mail holds, and those that would hurt if a path or a key were made of them. */
const text = fc.oneof(
  fc.constantFrom("HARNESS_WAKE", "HARBOR", "script", "cursor", TRAIN, DONE, ASLEEP, HELD, `${TRAIN}-a01`, `${HELD}-a01`),
  fc.constantFrom(
    `${TRAIN}-a02`,
    `${TRAIN}-a1`,
    `${TRAIN}-a00`,
    `${TRAIN}-a0x1`,
    `${TRAIN}-a01\n`,
    `${TRAIN}\0`,
    TRAIN.toUpperCase(),
  ),
  fc.constantFrom("", ".", "../../etc/passwd", "..", "__proto__", "constructor", "CON", `${TRAIN}.json`, `./${TRAIN}`),
  fc.string({ unit: "binary", maxLength: 100 }),
);

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true }),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(Symbol("s"), () => TRAIN, new Date(Number.NaN), /x/, new Proxy({}, {})) },
);

const FIELDS = ["from", "to", "id", "job_id", "attempt_id", "harness", "body"] as const;

/** The right mail with some of its fields made wrong, a few more, and some that throw when they are read. */
function mangled(right: WakeMail): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fc.subarray([...FIELDS], { minLength: 1 }),
      fc.array(value, { minLength: FIELDS.length, maxLength: FIELDS.length }),
      fc.constantFrom("set", "drop", "throw", "inherit"),
      fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__"), fc.constant("lease_id")), value, { maxKeys: 2 }),
    )
    .map(([fields, values, how, more]) => {
      const mail: Record<string, unknown> = { ...right, ...more };
      for (const [i, field] of fields.entries()) {
        if (how !== "set") delete mail[field];
        if (how === "set") mail[field] = values[i];
        if (how === "throw") Object.defineProperty(mail, field, { get: throwing });
      }
      return how === "inherit" ? Object.setPrototypeOf(mail, { from: 1, job_id: DONE }) : mail;
    });
}

/** Stands for {@link trap}, which fast-check itself could not touch. */
const TRAPPED = Symbol("trap");

/** A proxy that throws whatever is asked of it. */
const trap = new Proxy({}, { get: throwing, getPrototypeOf: throwing, has: throwing });

function throwing(): never {
  throw new Error("trap");
}

/** Mails in perfect form, of jobs and attempts that mostly are not the ones on offer. */
function forged(right: WakeMail): fc.Arbitrary<unknown> {
  return fc
    .record({
      job_id: fc.constantFrom(TRAIN, TRAIN, DONE, ASLEEP, HELD, "harbor-nobody-01", TRAIN.toUpperCase()),
      number: fc.nat(12),
      harness: fc.constantFrom("script", "cursor", "codex"),
      isText: fc.boolean(),
    })
    .map(({ job_id, number, harness, isText }) => {
      const attempt_id = `${job_id}-a${String(number).padStart(2, "0")}`;
      const mail = { ...right, id: job_id, job_id, attempt_id, harness };
      return isText ? JSON.stringify(mail) : mail;
    });
}

/** Text that should have been the mail's: cut off, doubled, with bytes changed, far too long. */
function garbled(right: WakeMail): fc.Arbitrary<string> {
  const message = JSON.stringify(right);
  return fc.oneof(
    fc.nat(message.length - 1).map((end) => message.slice(0, end)),
    fc.tuple(fc.nat(message.length - 1), fc.string({ unit: "binary", minLength: 1, maxLength: 3 })).map(([at, put]) => {
      return message.slice(0, at) + put + message.slice(at + 1);
    }),
    fc.constantFrom(`${message}${message}`, `[${message}]`, JSON.stringify(message), `${message}${" ".repeat(4096)}`, "\uFEFF"),
    fc.constantFrom("[".repeat(100_000), `{"from":`.repeat(5_000)),
    fc.json(),
    fc.string({ unit: "binary" }),
  );
}

/** Whether this is the one right mail after all: what it names is what was offered, and it is one of ours. */
function isRight(input: unknown, right: WakeMail): boolean {
  try {
    const mail = (typeof input === "string" ? JSON.parse(input) : input) as WakeMail;
    return (["from", "id", "job_id", "attempt_id"] as const).every((field) => mail[field] === right[field]);
  } catch {
    return false;
  }
}

test("2,000 hostile mails: no exception, and no change to any job but by the one right mail", async () => {
  const offered = await fleetOfFour();
  const right = await offered.mail();
  const texts = [...offered.texts];
  const hostile = fc.oneof(
    { weight: 4, arbitrary: mangled(right) },
    { weight: 2, arbitrary: forged(right) },
    { weight: 3, arbitrary: garbled(right) },
    { weight: 1, arbitrary: fc.oneof(value, fc.constant(TRAPPED)) },
  );
  const states = new Map<string, number>();

  await fc.assert(
    fc.asyncProperty(hostile, async (generated) => {
      const mail = generated === TRAPPED ? trap : generated;
      const fleet = new MemoryFleet();
      for (const [jobId, jobText] of texts) fleet.texts.set(jobId, jobText);
      const answer = await consumeDelivery(fleet, mail, { workerId: WORKER });
      states.set(answer.state, (states.get(answer.state) ?? 0) + 1);
      if (answer.state === "CLAIMED") {
        expect(isRight(mail, right)).toBe(true);
        expect(answer.job_id).toBe(TRAIN);
        for (const [jobId, jobText] of texts) if (jobId !== TRAIN) expect(fleet.text(jobId)).toBe(jobText);
        return;
      }
      expect(REFUSALS).toContain(answer.state);
      expect(answer.invoke_model).toBe(false);
      expect([...fleet.texts]).toEqual(texts);
    }),
    fuzzRuns(2000),
  );
  // A generator that only ever made noise would show nothing: every answer must have come up.
  expect([...states.keys()].sort()).toEqual([...REFUSALS, "CLAIMED"].sort());
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test("the one right mail is claimed after all that", async () => {
  const fleet = await fleetOfFour();
  expect(await consumeDelivery(fleet, await fleet.mail(), { workerId: WORKER })).toMatchObject({ state: "CLAIMED" });
});
