import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { clockAt } from "../../src/facts/clock.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { countingIds } from "../support/counting-ids.ts";
import { FakePages } from "../support/fake-pages.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { jobDocument, jobText, TRAIN } from "../support/job-builder.ts";
import { noHolds } from "../support/no-holds.ts";
import { NOON } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const directory = tempDirectory();

const bytes = fc.uint8Array({ maxLength: 300 }).map((found) => Buffer.from(found));
const json = fc.json().map((text) => Buffer.from(text));

/** A good job's file with a few bytes cut out and others put in. */
const damaged = fc
  .record({ at: fc.nat(400), cut: fc.nat(40), put: fc.oneof(fc.constant(Buffer.alloc(0)), fc.uint8Array({ maxLength: 6 })) })
  .map(({ at, cut, put }) => {
    const good = Buffer.from(jobText());
    return Buffer.concat([good.subarray(0, at), put, good.subarray(at + cut)]);
  });

/** A good job's file with a field of it turned into anything. */
const hostile = fc
  .tuple(
    fc.constantFrom(...Object.keys(jobDocument()), "lease", "blocker", "event_receipts", "budget_tokens", "__proto__"),
    fc.oneof(fc.constantFrom(...HOSTILE_VALUES), fc.json()),
  )
  .map(([field, value]) => Buffer.from(`${jobText({ [field]: undefined }).slice(0, -1)},${JSON.stringify(field)}:${value}}`));

test("any byte string as a job file gives a row, never a crash, and a good job beside it is woken", async () => {
  const content = fc.oneof(bytes, json, damaged, hostile);
  const ports = { pages: new FakePages(), holds: noHolds, clock: clockAt(NOON), ids: countingIds() };
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 20 }), async (contents) => {
      const written = contents.map((content, i) => {
        // Each under its own name, and most of them with that name inside.
        const id = `harbor-train-1${String(i).padStart(3, "0")}`;
        const named = Buffer.from(content.toString("latin1").replace(TRAIN, id), "latin1");
        writeFileSync(join(directory, `${id}.json`), named);
        return { id, named };
      });
      writeFileSync(join(directory, `${TRAIN}.json`), jobText());
      const store = new FileJobStore({ directory, displayName: "wake_jobs", clock: clockAt(NOON) });
      const { jobs } = await runTick({ ...ports, store }, { workerId: "gh-watchdog" });
      expect(jobs).toHaveLength(contents.length + 1);
      expect(jobs[0]).toMatchObject({ job_id: TRAIN, action: "WAKE" });
      for (const [i, { id, named }] of written.entries()) {
        const row = jobs[i + 1];
        if (row?.action === "ERROR") {
          expect(row.error?.file).toBe(`wake_jobs/${id}.json`);
          expect(row.error?.message).toContain(`${id}.json`);
          expect(readFileSync(join(directory, `${id}.json`)).equals(named)).toBe(true);
        } else {
          expect(row?.job_id).toBe(id);
        }
        rmSync(join(directory, `${id}.json`));
      }
    }),
    { numRuns: 100 },
  );
});
