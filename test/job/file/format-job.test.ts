import { expect, test } from "vitest";
import { formatJob } from "../../../src/job/file/format-job.ts";
import { parseJob } from "../../../src/job/file/parse-job.ts";
import { ENDING_BYTES, JOB_FILE_BYTES_MAX } from "../../../src/job/limits.ts";
import { cancelledJob } from "../../../src/job/moves/cancel.ts";
import { jobOf, jobText, TRAIN } from "../../support/job-builder.ts";
import { jobErrorOf } from "../../support/job-error-of.ts";

test("a job file is JSON of two-space indent, sorted keys and one trailing newline", () => {
  const text = formatJob(jobOf(), "x.json");
  expect(text).toBe(`${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).sort()), null, 2)}\n`);
});

test("a job's own times are written as YYYY-MM-DDTHH:MM:SSZ, and receipts stay history", () => {
  const receipt = { attempt_id: "slack-1", event: "seen", ts: "2026-11-30T12:00:00.123+01:00" };
  const job = parseJob(
    jobText({
      next_wake_at: "2026-11-30T12:00:00.5+05:30",
      deadline: "2026-12-31",
      created_at: "2026-11-30T12:00:00",
      last_wake_at: null,
      lease: { lease_id: "l", holder: "h", until: "2026-11-30 13:00:00-01:00", more: "2026-12-31" },
      event_receipts: [receipt],
      x_day: "2026-12-31",
    }),
    TRAIN,
    "x.json",
  );
  expect(JSON.parse(formatJob(job, "x.json"))).toMatchObject({
    next_wake_at: "2026-11-30T06:30:00Z",
    deadline: "2026-12-31T00:00:00Z",
    created_at: "2026-11-30T12:00:00Z",
    last_wake_at: null,
    lease: { until: "2026-11-30T14:00:00Z", more: "2026-12-31" },
    event_receipts: [receipt],
    x_day: "2026-12-31",
  });
});

test("a job whose history has filled its file up takes no more, and can still be ended", () => {
  const note = { attempt_id: "slack-1", event: "seen", ts: "2026-11-30T12:00:00Z" };
  const bytesOf = (text: string): number => Buffer.byteLength(text);
  const room =
    JOB_FILE_BYTES_MAX - ENDING_BYTES - bytesOf(formatJob(jobOf({ event_receipts: [{ ...note, pad: "" }] }), "x.json"));
  const full = jobOf({ event_receipts: [{ ...note, pad: "x".repeat(room) }] });
  expect(bytesOf(formatJob(full, "x.json"))).toBe(JOB_FILE_BYTES_MAX - ENDING_BYTES);

  const over = { ...full, event_receipts: [...full.event_receipts, note] };
  expect(jobErrorOf(() => formatJob(over, "x.json"))).toMatchObject({ code: "TOO_LARGE", file: "x.json" });
  const ended = formatJob(cancelledJob(over, "its history is full", 1_796_040_000), "x.json");
  expect(bytesOf(ended)).toBeLessThan(JOB_FILE_BYTES_MAX);
  expect(parseJob(ended, TRAIN, "x.json").status).toBe("CANCELLED");
});
