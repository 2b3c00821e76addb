import fc from "fast-check";
import { expect, test } from "vitest";
import { type Decision, decide, type PageState } from "../../src/job/decide.ts";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import { momentOf } from "../../src/job/job.ts";
import { turningPoints } from "../../src/job/turning-points.ts";
import { arbitraryJob } from "../support/arbitrary-job.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";
import { jobOf } from "../support/job-builder.ts";
import { atNoon, NOON } from "../support/noon.ts";
import { factsAtNoon, pagesAll } from "../support/tick-once.ts";

test("between two turning points of a job every tick decides the same", () => {
  fc.assert(
    fc.property(
      arbitraryJob,
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom<PageState>("durable", "absent", "unknown"),
      fc.array(fc.integer({ min: -300_000, max: 300_000 }), { minLength: 1, maxLength: 5 }),
      (job, deliver, isLifted, page, offsets) => {
        const facts = factsAtNoon({ deliver, holds: isLifted ? [] : [CURSOR_QUOTA_HOLD], pages: pagesAll(page) });
        const at = (now: number): Decision => decide(job, { ...facts, now });
        const points = turningPoints(job);
        const near = points.flatMap((point) => [point - 1, point + 1]);
        for (const moment of [...offsets.map((offset) => NOON + offset), ...near]) {
          const last = points.findLast((point) => point <= moment);
          const next = points.find((point) => point > moment);
          if (last !== undefined) expect(at(moment)).toEqual(at(last));
          else if (next !== undefined) expect(at(moment)).toEqual(at(next - 1));
        }
      },
    ),
    fuzzRuns(3000),
  );
});

test("they come in order, none twice", () => {
  const job = jobOf({ next_wake_at: atNoon(60), deadline: atNoon(600), backoff_seconds: 60 });
  expect(turningPoints(job)).toEqual([NOON, NOON + 60, NOON + 600]);
  expect(turningPoints(jobOf({ next_wake_at: atNoon(), deadline: atNoon() }))).toEqual([NOON - 60, momentOf(atNoon())]);
});
