import { describe, expect, test } from "vitest";
import { formatJob } from "../../src/job/file/format-job.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import { CHECKPOINT_BYTES_MAX, ENDING_BYTES, JOB_FILE_BYTES_MAX } from "../../src/job/limits.ts";
import { jobOf, jobText, TRAIN } from "../support/job-builder.ts";
import { jobErrorOf } from "../support/job-error-of.ts";

const FILE = `wake_jobs/${TRAIN}.json`;

function parseWith(field: string, json: string): ReturnType<typeof parseJob> {
  return parseJob(`${jobText({ [field]: undefined }).slice(0, -1)},"${field}":${json}}`, TRAIN, FILE);
}

/** A checkpoint of that many levels, itself the first. */
function nested(levels: number, opener = '{"a":', innermost = "{}", closer = "}"): string {
  return opener.repeat(levels - 1) + innermost + closer.repeat(levels - 1);
}

describe("a checkpoint is at most 200 levels deep", () => {
  test("200 levels are read and written", () => {
    expect(formatJob(parseWith("checkpoint", nested(200)), FILE)).toContain("{}");
    expect(formatJob(parseWith("checkpoint", `{"a":${nested(199, "[", "[1.0]", "]")}}`), FILE)).toContain("1.0");
  });

  test.each([
    ["201", nested(201)],
    ["201 of arrays", `{"a":${nested(200, "[", "[]", "]")}}`],
    ["209", nested(209)],
    ["5,000", nested(5_000)],
    ["100,000", nested(100_000)],
    ["100,000 of arrays", `{"a":${nested(100_000, "[", "[]", "]")}}`],
    ["100,000 around a fragile number", `{"a":${nested(100_000, "[", "[1.0]", "]")}}`],
  ])("%s levels are refused, without a crash", (_levels, checkpoint) => {
    const error = jobErrorOf(() => parseWith("checkpoint", checkpoint));
    expect(error).toMatchObject({ code: "SCHEMA", file: FILE, field: "checkpoint" });
    expect(error.message).toContain(`${FILE}: checkpoint nests deeper than 200 levels`);
  });

  test("braces within text are no levels", () => {
    expect(parseWith("checkpoint", JSON.stringify({ a: "{[".repeat(500) })).checkpoint).toEqual({ a: "{[".repeat(500) });
  });
});

test.each(["x_notes", "event_receipts", "lease", "result", "harness", "completion_predicate"])(
  "100,000 levels in %s are an error, never a crash",
  (field) => {
    expect(jobErrorOf(() => parseWith(field, nested(100_000, "[", "[]", "]"))).code).toBe("SCHEMA");
  },
);

test("a file that is nothing but 100,000 open brackets is CORRUPT", () => {
  expect(jobErrorOf(() => parseJob("[".repeat(100_000), TRAIN, FILE)).code).toBe("CORRUPT");
  expect(jobErrorOf(() => parseJob('{"a":'.repeat(100_000), TRAIN, FILE)).code).toBe("CORRUPT");
});

describe("a checkpoint is at most 1 MiB", () => {
  const frame = JSON.stringify({ bulk: "" }).length;

  test("that much is read", () => {
    const bulk = "x".repeat(CHECKPOINT_BYTES_MAX - frame);
    expect(parseWith("checkpoint", JSON.stringify({ bulk })).checkpoint).toEqual({ bulk });
  });

  test.each([
    ["in ASCII", "x", 1],
    ["in letters of two bytes", "é", 2],
    ["in letters of three bytes", "東", 3],
    ["in letters of four bytes", "\u{1f6a2}", 4],
  ])("more is refused, %s", (_kind, letter, bytes) => {
    const bulk = letter.repeat(Math.ceil((CHECKPOINT_BYTES_MAX - frame + 1) / bytes));
    const error = jobErrorOf(() => parseWith("checkpoint", JSON.stringify({ bulk })));
    expect(error).toMatchObject({ code: "SCHEMA", file: FILE, field: "checkpoint" });
    expect(error.message).toMatch(/checkpoint is \d+ bytes; at most 1048576 fit/);
  });
});

describe("no write makes a file larger than 4 MiB", () => {
  const notes = (bytes: number) => ({ ...jobOf(), x_notes: "é".repeat(bytes / 2) });
  const frame = Buffer.byteLength(formatJob(notes(0), FILE));

  test("up to 4 MiB are written, but for what only the job's ending may use", () => {
    const room = JOB_FILE_BYTES_MAX - ENDING_BYTES - frame;
    const written = Buffer.byteLength(formatJob(notes(room - (room % 2)), FILE));
    expect(written).toBeGreaterThanOrEqual(JOB_FILE_BYTES_MAX - ENDING_BYTES - 1);
  });

  test("more is TOO_LARGE, and the error names the file and what to shorten", () => {
    const error = jobErrorOf(() => formatJob(notes(JOB_FILE_BYTES_MAX), FILE));
    expect(error).toMatchObject({ code: "TOO_LARGE", file: FILE });
    expect(error.message).toContain(FILE);
    expect(error.message).toContain("Shorten");
  });
});
