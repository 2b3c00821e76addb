import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clockAt } from "../../src/facts/clock.ts";
import { decide, type PageState, type TickFacts } from "../../src/job/decide.ts";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import type { Job } from "../../src/job/job.ts";
import { parseTime } from "../../src/job/time.ts";
import type { Compared } from "../../src/report/compared.ts";
import { explain, type RuleStep } from "../../src/report/explanation.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { arbitraryJob } from "../support/arbitrary-job.ts";
import { expectedFleet, FLEET } from "../support/fleet-repository.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";
import { jobOf } from "../support/job-builder.ts";
import { atNoon, NOON } from "../support/noon.ts";
import { factsAtNoon, pagesAll } from "../support/tick-once.ts";

const arbitraryFacts: fc.Arbitrary<TickFacts> = fc
  .record({
    seconds: fc.integer({ min: -100_000, max: 100_000 }),
    deliver: fc.boolean(),
    isLifted: fc.boolean(),
    page: fc.constantFrom<PageState>("durable", "absent", "unknown"),
  })
  .map(({ seconds, deliver, isLifted, page }) =>
    factsAtNoon({ now: NOON + seconds, deliver, holds: isLifted ? [] : [CURSOR_QUOTA_HOLD], pages: pagesAll(page) }),
  );

function expectAgreement(job: Job, facts: TickFacts): void {
  const decision = decide(job, facts);
  const explained = explain(job, facts);
  const isError = decision.action === "ASK_PAGE" || decision.action === "CANNOT_TELL";
  expect(explained).toMatchObject(
    isError ? { action: "ERROR", reason: "TRUTH_UNAVAILABLE" } : { action: decision.action, reason: decision.reason },
  );
  const outcomes = explained.rules.map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === "matched")).toHaveLength(1);
  expect(explained.rules.at(-1)).toMatchObject({ outcome: "matched", rule: explained.rule });
}

describe("why agrees with decide", () => {
  test("on every job", () => {
    fc.assert(fc.property(arbitraryJob, arbitraryFacts, expectAgreement), fuzzRuns(2000));
  });

  test("on the fleet", async () => {
    const now = parseTime(expectedFleet().now) ?? 0;
    const store = new FileJobStore({ directory: `${FLEET}/wake_jobs`, clock: clockAt(now) });
    let explained = 0;
    for (const { job } of await store.scan()) {
      if (job === undefined) continue;
      explained++;
      for (const deliver of [false, true]) expectAgreement(job, factsAtNoon({ now, deliver, pages: pagesAll("absent") }));
    }
    expect(explained).toBeGreaterThan(40);
  });
});

/** Whether the values that are shown make the rule match: each rule again, from what a reader sees alone. */
const SEEN_TO_MATCH: Readonly<Record<string, (values: Compared) => boolean>> = {
  "1": ({ status }) => ["DONE", "CANCELLED", "EXHAUSTED"].includes(`${status}`),
  "2": ({ predicate_holds, result_address, page }) => predicate_holds === true && result_address !== "" && page === "durable",
  "3": ({ now, deadline, at_work }) => `${now}` >= `${deadline}` && at_work === false,
  "4": ({ tokens_used, budget_tokens, at_work }) => Number(tokens_used) >= Number(budget_tokens) && at_work === false,
  "5": (values) =>
    values["blocker.fingerprint"] === null
      ? values["status"] === "BLOCKED"
      : values["blocker.fingerprint"] === values["last_blocker_fingerprint"],
  "5b": (values) => values["blocker.fingerprint"] !== null && values["last_blocker_fingerprint"] === null,
  "5c": (values) =>
    values["blocker.fingerprint"] !== null &&
    values["last_blocker_fingerprint"] !== null &&
    values["blocker.fingerprint"] !== values["last_blocker_fingerprint"],
  "6": (values) => values["lease.until"] !== null && `${values["lease.until"]}` > `${values["now"]}`,
  "6b": ({ in_backoff, now, next_wake_at, own_pause_seconds, tick_mails, past_grace }) =>
    in_backoff === true &&
    (parseTime(`${next_wake_at}`) ?? 0) - (parseTime(`${now}`) ?? 0) <= Number(own_pause_seconds) &&
    tick_mails === true &&
    past_grace === true,
  "7": ({ now, next_wake_at }) => `${now}` < `${next_wake_at}`,
  "8": ({ hold }) => hold !== null,
  "9": ({ tick_mails, mail_owed }) => tick_mails === true && mail_owed === true,
  "10": ({ unanswered }) => unanswered === true,
  "11": ({ no_progress_count, max_attempts, in_backoff, checkpoint_is_the_woken_one }) =>
    Number(no_progress_count) + 1 >= Number(max_attempts) && in_backoff === false && checkpoint_is_the_woken_one === true,
  "12": ({ attempt_count, max_attempts }) => Number(attempt_count) >= Number(max_attempts),
  "12b": ({ in_backoff, checkpoint_is_the_woken_one }) => in_backoff === false && checkpoint_is_the_woken_one === true,
  "13": () => true,
};

describe("the values compared are those that decided", () => {
  test("a reader who looks at them alone finds the same rules passed and the same one matched", () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        for (const { rule, outcome, compared } of explain(job, facts).rules) {
          met.add(rule);
          const isUnknownPage = rule === "2" && outcome === "went on";
          expect([rule, SEEN_TO_MATCH[rule]?.(compared)]).toEqual([rule, outcome !== "passed" && !isUnknownPage]);
        }
      }),
      fuzzRuns(3000),
    );
    expect([...met].sort()).toEqual(Object.keys(SEEN_TO_MATCH).sort());
  });

  test("are named like the fields that they come from", () => {
    const { rules } = explain(jobOf({ next_wake_at: atNoon(900) }), factsAtNoon());
    expect(rules.find(({ rule }) => rule === "7")).toEqual({
      rule: "7",
      when: "it is not due yet",
      outcome: "matched",
      compared: { now: atNoon(), next_wake_at: atNoon(900) },
    } satisfies RuleStep);
  });
});

describe("when the answer changes", () => {
  test("is told with what it changes to", () => {
    const job = jobOf({ next_wake_at: atNoon(900) });
    expect(explain(job, factsAtNoon())).toMatchObject({
      action: "STOP",
      reason: "NOT_DUE",
      rule: "7",
      changes: { at: atNoon(900), action: "WAKE", reason: "RUNNABLE", rule: "13" },
    });
  });

  test("is never for a job that has ended", () => {
    expect(explain(jobOf({ status: "DONE" }), factsAtNoon()).changes).toBeNull();
  });
});
