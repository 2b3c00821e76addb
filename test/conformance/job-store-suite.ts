import { beforeEach, describe, expect, test } from "vitest";
import { JobError } from "../../src/errors/job-error.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { JOB_FILE_BYTES_MAX } from "../../src/job/limits.ts";
import type { Found, JobEntry, JobStore, Step } from "../../src/store/job-store.ts";
import { jobText } from "../support/job-builder.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";

/** A store under test, and a way round it to the texts that it holds. */
export interface JobStoreFixture {
  readonly store: JobStore;
  /** Puts a text there as a file of this name, whatever is wrong with it. */
  seed(fileName: string, text: string): Promise<void>;
  /** The text of a file as anyone else would find it; undefined where there is none. */
  textOf(fileName: string): Promise<string | undefined>;
  /** Moves with everything that is written, the same text again too: a commit's id, a file's inode. */
  revision(): Promise<string>;
}

const A = "harbor-store-000a";
const B = "harbor-store-000b";

function textOfJob(jobId: string, fields: object = {}): string {
  return jobText({ job_id: jobId, ...fields });
}

function raiseTokens({ job }: Found): Step<number> {
  if (job === undefined) throw new JobError("SCHEMA", "there is no such job");
  const tokens_used = job.tokens_used + 1;
  return { answer: tokens_used, write: { job: { ...job, tokens_used }, note: "raise" } };
}

/** What every job store promises (src/store/job-store.ts, contract §7). */
export function describeJobStore(name: string, setUp: () => Promise<JobStoreFixture>): void {
  describe(`${name} is a job store`, () => {
    let fixture: JobStoreFixture;
    let store: JobStore;
    beforeEach(async () => {
      fixture = await setUp();
      store = fixture.store;
    });

    async function scanned(): Promise<readonly JobEntry[]> {
      return [...(await store.scan())];
    }

    /** The job as its text alone says. */
    async function storedJob(jobId: string): Promise<Job> {
      return parseJob((await fixture.textOf(`${jobId}.json`)) ?? "", jobId, "stored");
    }

    describe("scan", () => {
      test("gives nothing where nothing is", async () => expect(await scanned()).toEqual([]));

      test("gives every job in the order of its file's name", async () => {
        const ids = ["harbor-02", "harbor-01", "harbor-01-x", "harbor-01.x", "Harbor-03", "0-harbor"];
        for (const id of ids) await fixture.seed(`${id}.json`, textOfJob(id));
        // "." sorts after "-": harbor-01-x.json stands before harbor-01.json.
        expect((await scanned()).map(({ job_id }) => job_id)).toEqual([
          "0-harbor",
          "Harbor-03",
          "harbor-01-x",
          "harbor-01",
          "harbor-01.x",
          "harbor-02",
        ]);
      });

      test("gives a broken file as an error in its place, and the others as jobs", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A));
        await fixture.seed("harbor-store-000aa.json", "{");
        await fixture.seed(`${B}.json`, textOfJob(B));
        const entries = await scanned();
        expect(entries.map((entry) => entry.job?.job_id ?? entry.error?.code)).toEqual([A, "CORRUPT", B]);
      });

      test.each([
        ["not JSON", "{", "CORRUPT", false],
        ["empty", "", "CORRUPT", false],
        ["another job's", textOfJob(B), "CORRUPT", false],
        ["of a bad field", textOfJob(A, { deadline: "soon" }), "SCHEMA", true],
        ["over 4 MiB", textOfJob(A, { x_bulk: "x".repeat(JOB_FILE_BYTES_MAX) }), "TOO_LARGE", false],
        ["over 4 MiB in fewer characters", textOfJob(A, { x_bulk: "é".repeat(JOB_FILE_BYTES_MAX / 2) }), "TOO_LARGE", false],
      ])("names the file and the fault of a file that is %s", async (_what, text, code, isIdKnown) => {
        await fixture.seed(`${A}.json`, text);
        const [entry] = await scanned();
        expect(entry?.error).toMatchObject({ code });
        expect(entry?.error?.file).toContain(`${A}.json`);
        expect(entry?.error?.message).toContain(`${A}.json`);
        expect(entry?.job_id).toBe(isIdKnown ? A : null);
        expect((await store.read(A))?.error).toMatchObject({ code });
      });

      test.each(["short.json", "harbor spaced 0001.json", "-harbor-00001.json", ".json".padStart(90, "x")])(
        "a file whose name is no job id is an error, never skipped: %s",
        async (fileName) => {
          await fixture.seed(fileName, textOfJob(A));
          const [entry] = await scanned();
          expect(entry?.error).toMatchObject({ code: "SCHEMA", field: "job_id" });
          expect(entry?.error?.message).toContain(fileName);
          expect(entry?.job_id).toBeNull();
        },
      );
    });

    describe("read", () => {
      test("gives one job, with its unknown keys", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A, { x_note: "kept" }));
        expect((await store.read(A))?.job).toMatchObject({ job_id: A, x_note: "kept" });
      });

      test("gives undefined where there is none", async () => expect(await store.read(A)).toBeUndefined());

      test.each(["../harbor-01", "..", "", "harbor/00001", "harbor-0001\n"])(
        "refuses %j before it becomes a path",
        async (id) => {
          expect(await jobErrorFrom(() => store.read(id))).toMatchObject({ code: "SCHEMA", field: "job_id" });
          expect(await jobErrorFrom(() => store.transact([id], raiseTokens))).toMatchObject({ code: "SCHEMA", field: "job_id" });
        },
      );
    });

    describe("transact", () => {
      test("gives the step's answer, and what it wrote is there", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A));
        expect((await store.transact([A], raiseTokens)).get(A)).toEqual({ answer: 1 });
        expect((await store.read(A))?.job?.tokens_used).toBe(1);
        expect((await storedJob(A)).tokens_used).toBe(1);
      });

      test("without a write touches nothing", async () => {
        const text = `  ${textOfJob(A)}`;
        await fixture.seed(`${A}.json`, text);
        const revision = await fixture.revision();
        expect((await store.transact([A], ({ job }) => ({ answer: job?.objective }))).get(A)?.answer).toBe(
          "Keep the release train moving.",
        );
        expect(await fixture.textOf(`${A}.json`)).toBe(text);
        expect(await fixture.revision()).toBe(revision);
      });

      test("a job that was seen before is decided as it is now", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A, { tokens_used: 1 }));
        await fixture.seed(`${B}.json`, textOfJob(B, { tokens_used: 1 }));
        const seen = new Map((await scanned()).flatMap((entry) => (entry.job === undefined ? [] : [[entry.job_id, entry]])));
        await store.transact([A], raiseTokens);
        const outcomes = await store.transact([A, B], raiseTokens, seen);
        expect(outcomes.get(A)).toEqual({ answer: 3 });
        expect(outcomes.get(B)).toEqual({ answer: 2 });
        expect((await storedJob(A)).tokens_used).toBe(3);
      });

      test("a step that throws a JobError changes nothing, and is that job's outcome alone", async () => {
        for (const id of [A, B]) await fixture.seed(`${id}.json`, textOfJob(id));
        const before = await fixture.textOf(`${A}.json`);
        const refusal = new JobError("SCHEMA", "no");
        const outcomes = await store.transact([A, B], (found) => {
          if (found.job_id === A) throw refusal;
          return raiseTokens(found);
        });
        expect(outcomes.get(A)).toEqual({ error: refusal });
        expect(outcomes.get(B)).toEqual({ answer: 1 });
        expect(await fixture.textOf(`${A}.json`)).toBe(before);
      });

      test("a step that throws anything else is a bug, and is passed on", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A));
        const bug = new TypeError("a bug");
        await expect(
          store.transact([A], () => {
            throw bug;
          }),
        ).rejects.toBe(bug);
        expect((await store.transact([A], raiseTokens)).get(A)).toEqual({ answer: 1 });
      });

      test("an absent job is found undefined, and a write creates it", async () => {
        const job = parseJob(textOfJob(A), A, "new");
        const outcomes = await store.transact([A], (found) => ({ answer: found, write: { job, note: "create" } }));
        expect(outcomes.get(A)?.answer).toEqual({ job_id: A, job: undefined, namesake: undefined });
        expect((await storedJob(A)).job_id).toBe(A);
        expect((await scanned()).map(({ job_id }) => job_id)).toEqual([A]);
      });

      test("an absent job's namesake in another case is told", async () => {
        await fixture.seed("Harbor-Store-000A.json", textOfJob("Harbor-Store-000A"));
        const outcomes = await store.transact([A, B], ({ namesake }) => ({ answer: namesake }));
        expect(outcomes.get(A)?.answer).toBe("Harbor-Store-000A");
        expect(outcomes.get(B)?.answer).toBeUndefined();
      });

      test("a job that is there has no namesake", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A));
        expect((await store.transact([A], ({ namesake }) => ({ answer: namesake ?? "none" }))).get(A)?.answer).toBe("none");
      });

      test("a broken file is that job's outcome alone, its step is not asked and it is never rewritten", async () => {
        await fixture.seed(`${A}.json`, "{ half");
        await fixture.seed(`${B}.json`, textOfJob(B));
        const asked: string[] = [];
        const outcomes = await store.transact([A, B], (found) => {
          asked.push(found.job_id);
          return raiseTokens(found);
        });
        expect(outcomes.get(A)?.error).toMatchObject({ code: "CORRUPT" });
        expect(outcomes.get(B)).toEqual({ answer: 1 });
        expect(asked).toEqual([B]);
        expect(await fixture.textOf(`${A}.json`)).toBe("{ half");
      });

      test("a hundred jobs at once each get their own outcome", async () => {
        const ids = Array.from({ length: 100 }, (_, i) => `harbor-many-${String(i).padStart(4, "0")}`);
        for (const [i, id] of ids.entries()) await fixture.seed(`${id}.json`, textOfJob(id, { tokens_used: i }));
        const outcomes = await store.transact(ids, raiseTokens);
        expect([...outcomes.values()].map(({ answer }) => answer).sort((a = 0, b = 0) => a - b)).toEqual(
          ids.map((_, i) => i + 1),
        );
        for (const [i, id] of ids.entries()) expect((await storedJob(id)).tokens_used).toBe(i + 1);
      });

      test("of no jobs answers nothing", async () => expect((await store.transact([], raiseTokens)).size).toBe(0));

      test("concurrent ones are linearized: no increment is lost, no answer given twice", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A));
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.transact([A], raiseTokens)));
        const answers = outcomes.map((outcome) => outcome.get(A)?.answer ?? 0).sort((a, b) => a - b);
        expect(answers).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
        expect((await storedJob(A)).tokens_used).toBe(20);
      });

      test("a write keeps unknown keys and the text of numbers", async () => {
        const text = textOfJob(A).replace(/\}$/, ',"x_big":1234567890123456789,"__proto__":{"f":1.0},"10":1e400}');
        await fixture.seed(`${A}.json`, text);
        await store.transact([A], raiseTokens);
        const after = await fixture.textOf(`${A}.json`);
        expect(after).toContain('"x_big": 1234567890123456789');
        expect(after).toContain('"10": 1e400');
        expect(after).toContain('"__proto__": {\n    "f": 1.0\n  }');
      });

      test("a write is a job file as the contract says: sorted, indented, one trailing newline", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A));
        await store.transact([A], raiseTokens);
        const after = (await fixture.textOf(`${A}.json`)) ?? "";
        expect(after).toBe(`${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(after)).sort()), null, 2)}\n`);
      });

      test("TOO_LARGE changes nothing, and the others are written", async () => {
        for (const id of [A, B]) await fixture.seed(`${id}.json`, textOfJob(id));
        const before = await fixture.textOf(`${A}.json`);
        const outcomes = await store.transact([A, B], (found) => {
          const step = raiseTokens(found);
          const x_bulk = found.job_id === A ? "x".repeat(JOB_FILE_BYTES_MAX) : "";
          return step.write ? { ...step, write: { ...step.write, job: { ...step.write.job, x_bulk } as Job } } : step;
        });
        expect(outcomes.get(A)?.error).toMatchObject({ code: "TOO_LARGE" });
        expect(outcomes.get(A)?.error?.message).toContain(`${A}.json`);
        expect(outcomes.get(B)).toEqual({ answer: 1 });
        expect(await fixture.textOf(`${A}.json`)).toBe(before);
      });

      test("a write of the text that stands changes nothing", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A));
        await store.transact([A], raiseTokens);
        const before = await fixture.textOf(`${A}.json`);
        const revision = await fixture.revision();
        const same = ({ job }: Found): Step<string> =>
          job ? { answer: "same", write: { job, note: "same" } } : { answer: "gone" };
        expect((await store.transact([A], same)).get(A)).toEqual({ answer: "same" });
        expect(await fixture.textOf(`${A}.json`)).toBe(before);
        expect(await fixture.revision()).toBe(revision);
      });

      test("a read or scan after it sees it, and a scan that began before sees old or new, never half", async () => {
        await fixture.seed(`${A}.json`, textOfJob(A));
        const [entries] = await Promise.all([scanned(), store.transact([A], raiseTokens)]);
        expect([0, 1]).toContain(entries[0]?.job?.tokens_used);
        expect((await scanned())[0]?.job?.tokens_used).toBe(1);
      });
    });
  });
}
