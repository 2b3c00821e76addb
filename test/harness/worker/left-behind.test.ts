import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ownLife } from "../../../src/harness/enclosure/worker-life.ts";
import { type AttemptRecord, AttemptRecords } from "../../../src/harness/worker/attempt-record.ts";
import { settleLeftBehind } from "../../../src/harness/worker/left-behind.ts";
import { cancelJob } from "../../../src/owner/change-job.ts";
import { noGit } from "../../support/fake-pages.ts";
import { TRAIN } from "../../support/job-builder.ts";
import { type ClaimOfOurs, MemoryFleet, WORKER } from "../../support/memory-fleet.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/** A machine's boot ends every worker on it. */
const DEAD = { ...ownLife(), boot_id: "the boot before" };

let fleet: MemoryFleet;
let directory: string;
let records: AttemptRecords;

beforeEach(() => {
  fleet = new MemoryFleet();
  directory = tempDirectory();
  records = new AttemptRecords(directory);
});

function recordOf({ job_id, attempt_id, claim_id }: ClaimOfOurs, more: Partial<AttemptRecord> = {}): AttemptRecord {
  return { claim: { job_id, attempt_id, claim_id }, worker_id: WORKER, harness: "script", worker: DEAD, ...more };
}

const settled = { settlement: { kind: "finish", outcome: { checkpoint: { step: 7 } } }, usage: { tokensUsed: 9 } } as const;

test("an outcome that its worker could tell nobody any more is told by the next one, and forgotten then", async () => {
  records.put(recordOf(await fleet.atWork(), { settled }));
  expect(await settleLeftBehind(fleet, records)).toMatchObject([{ answer: { state: "CHECKPOINT" } }]);
  expect(await fleet.job()).toMatchObject({ checkpoint: { step: 7 }, tokens_used: 9, lease: null });
  expect(readdirSync(directory)).toEqual([]);
});

test("a run that was cut off is given up at once, and the history says why", async () => {
  records.put(recordOf(await fleet.atWork()));
  expect(await settleLeftBehind(fleet, records)).toMatchObject([{ answer: { state: "FAILED" } }]);
  expect(await fleet.receipts("failed")).toMatchObject([{ detail: expect.stringContaining("in the middle of the run") }]);
});

test("what the store took before its worker died is told twice and taken once", async () => {
  const record = recordOf(await fleet.atWork(), { settled });
  for (let time = 0; time < 2; time++) {
    records.put(record);
    expect(await settleLeftBehind(fleet, records)).toMatchObject([{ answer: { state: "CHECKPOINT" } }]);
  }
  expect(await fleet.receipts("ack")).toHaveLength(1);
});

test("what came to nothing meanwhile is forgotten", async () => {
  records.put(recordOf(await fleet.atWork(), { settled }));
  await cancelJob(fleet, TRAIN, "enough");
  expect(await settleLeftBehind(fleet, records)).toMatchObject([{ answer: { state: "CANCELLED" } }]);
  expect(readdirSync(directory)).toEqual([]);
});

test("the attempt of a worker that lives stays its own", async () => {
  records.put(recordOf(await fleet.atWork(), { worker: ownLife() }));
  expect(await settleLeftBehind(fleet, records)).toEqual([]);
  expect(await fleet.receipts("failed")).toEqual([]);
});

test("where the store cannot say, the outcome stays for the next worker", async () => {
  const result = { settlement: { kind: "finish", outcome: { result: { kind: "report" } } }, usage: {} } as const;
  records.put(recordOf(await fleet.atWork(), { settled: result }));
  fleet.pages.failure = noGit();
  expect(await settleLeftBehind(fleet, records)).toMatchObject([{ answer: { code: "TRUTH_UNAVAILABLE" } }]);
  expect(readdirSync(directory)).toHaveLength(1);
});

test.each(["", "{", "[]", '{"claim": {}}'])(
  "a record that is %j is told by its name, and keeps nobody from the others",
  async (text) => {
    writeFileSync(join(directory, "broken-0001-a01.json"), text);
    records.put(recordOf(await fleet.atWork(), { settled }));
    const found = await settleLeftBehind(fleet, records);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(
      expect.objectContaining({ code: "CORRUPT", message: expect.stringContaining("broken-0001-a01") }),
    );
    expect(found).toContainEqual(expect.objectContaining({ answer: expect.objectContaining({ state: "CHECKPOINT" }) }));
  },
);

test("a record that was half written is none", async () => {
  writeFileSync(join(directory, "half-0001-a01.json.new"), '{"claim": {"job');
  expect(await settleLeftBehind(fleet, records)).toEqual([]);
});
