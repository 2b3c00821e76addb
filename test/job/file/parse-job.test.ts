import { describe, expect, test } from "vitest";
import { JOB_DEFAULTS } from "../../../src/job/fields.ts";
import { formatJob } from "../../../src/job/file/format-job.ts";
import { asDocument, parseJob } from "../../../src/job/file/parse-job.ts";
import { numberText } from "../../../src/json/json.ts";
import { jobDocument, jobText, TRAIN } from "../../support/job-builder.ts";
import { jobErrorOf } from "../../support/job-error-of.ts";

const FILE = `wake_jobs/${TRAIN}.json`;

function parse(text: string): ReturnType<typeof parseJob> {
  return parseJob(text, TRAIN, FILE);
}

/** The sample's text with this JSON, kept as it is spelled, in a field. */
function withField(field: string, json: string): string {
  return `${jobText({ [field]: undefined }).slice(0, -1)},"${field}":${json}}`;
}

describe("a job file is read as it is", () => {
  test("what it may leave out has its default", () => {
    expect(parse(jobText({ checkpoint: undefined }))).toMatchObject({ ...JOB_DEFAULTS, job_id: TRAIN });
  });

  test("keys that this version does not know are kept", () => {
    const text = withField("x_python", '{"n":1.0,"__proto__":[1e400]}');
    expect(formatJob(parse(text), FILE)).toContain('"x_python": {\n    "__proto__": [\n      1e400\n    ],\n    "n": 1.0\n  }');
  });

  test("a byte order mark and CRLF line ends do no harm", () => {
    const text = `\uFEFF${JSON.stringify(jobDocument(), null, 2).replaceAll("\n", "\r\n")}\r\n`;
    expect(parse(text).job_id).toBe(TRAIN);
  });

  test("its own integer fields count by value, a checkpoint's numbers keep their text", () => {
    const job = parse(withField("budget_tokens", "1e5").replace('{"step":0}', '{"step":1e5}'));
    expect(job.budget_tokens).toBe(100_000);
    expect(numberText(job.checkpoint["step"])).toBe("1e5");
  });

  test("times are kept as they stand, until they are written", () => {
    expect(parse(withField("deadline", '"2026-12-31"')).deadline).toBe("2026-12-31");
  });

  test("a null is as good as nothing where the field allows it", () => {
    for (const field of ["lease", "blocker", "last_wake_at", "completed_at", "cancel_reason"]) {
      expect(asDocument(parse(withField(field, "null")))[field]).toBeNull();
    }
  });

  test("an objective of 1000 characters is one, also where each of them takes two UTF-16 units", () => {
    expect(parse(withField("objective", JSON.stringify("\u{1f6a2}".repeat(1000)))).objective).toHaveLength(2000);
  });
});

test("a key that stands twice in a checkpoint is the harness's own: the last one counts", () => {
  expect(parse(withField("checkpoint", '{"step":0,"step":1}')).checkpoint).toEqual({ step: 1 });
});

test("keys of a checkpoint come back as they were, whatever stood in their place in the file before", () => {
  for (const key of ["\\", '"', "a\\b", "a\b", "\\u0061", "a"]) {
    const text = withField("checkpoint", JSON.stringify({ "": 0, [key]: 1 }));
    expect(formatJob(parse(text), FILE)).toContain(`"checkpoint": {\n    "": 0,\n    ${JSON.stringify(key)}: 1\n  }`);
  }
});

describe("a file that cannot be read as a job says why", () => {
  test.each([
    ["empty", "", "is empty"],
    ["half of one", '{"job_id": "harbor', "is not JSON"],
    ["an array", "[]", "holds []"],
    ["text", '"x"', 'holds "x"'],
    ["null", "null", "holds null"],
    ["a number", "1.0", "holds 1"],
    ["NULs", "\0\0\0\0", "NUL"],
    ["a conflict", '{\n<<<<<<< HEAD\n"a":1\n=======\n"a":2\n>>>>>>> theirs\n}', "line 2 is a git conflict marker"],
    ["a conflict with CRLF", '{\r\n"a":1\r\n=======\r\n}', "conflict marker"],
    ["two documents", "{}{}", "is not JSON"],
    ["a comment", "// x\n{}", "is not JSON"],
  ])("%s is CORRUPT", (_what, text, why) => {
    const error = jobErrorOf(() => parse(text));
    expect(error).toMatchObject({ code: "CORRUPT", file: FILE });
    expect(error.message).toContain(FILE);
    expect(error.message).toContain(why);
  });

  test.each([
    ["after a merge that kept both sides' lines", '"status": "OPEN",\n  "status": "CANCELLED",', "status", "lines 2 and 3"],
    ["with the same value", '"status": "OPEN",\n  "status": "OPEN",', "status", "lines 2 and 3"],
    ["on one line", '"status": "OPEN", "status": "OPEN",', "status", "line 2"],
    ["indented otherwise", '"status": "OPEN",\n\t"status" : "OPEN",', "status", "lines 2 and 3"],
    ["inside of a lease", '"lease": {\n"until": "2026-11-30",\n"until": "2027-11-30"},', "lease.until", "lines 3 and 4"],
    ["in a receipt", '"event_receipts": [{"event": "x", "event": "y"}],', "event_receipts.0.event", "line 2"],
    ["under a key that this version does not know", '"x_own": {"a": 1, "a": 2},', "x_own.a", "line 2"],
  ])("a field that stands twice is CORRUPT, %s", (_, lines, field, where) => {
    const rest = jobText({ status: undefined, lease: undefined, event_receipts: undefined });
    const error = jobErrorOf(() => parse(rest.replace("{", `{\n  ${lines}`)));
    expect(error).toMatchObject({ code: "CORRUPT", file: FILE, field });
    expect(error.message).toBe(`${FILE}: ${field} stands twice, in ${where}; keep the right one and remove the other`);
  });

  test("the wrong job_id inside is CORRUPT, and both names are told", () => {
    const error = jobErrorOf(() => parse(jobText({ job_id: "harbor-other-0001" })));
    expect(error).toMatchObject({ code: "CORRUPT", file: FILE, field: "job_id" });
    expect(error.message).toContain("harbor-other-0001");
    expect(error.message).toContain(FILE);
  });

  test.each([
    ["job_id", undefined, "missing"],
    ["job_id", "../x", '"../x"'],
    ["owner_claim", "harbor", '"harbor"'],
    ["owner_claim", "H", '"H"'],
    ["harness", "", '""'],
    ["harness", "café", '"café"'],
    ["harness", "a\nb", '"a\\nb"'],
    ["harness", "x".repeat(201), "xxx"],
    ["objective", "two\nlines", '"two\\nlines"'],
    ["objective", "two\vlines", '"two\\u000blines"'],
    ["objective", "two\u2029lines", "two"],
    ["objective", "x".repeat(1001), "xxx"],
    ["checkpoint", [], "[]"],
    ["checkpoint", null, "null"],
    ["next_wake_at", "yesterday", '"yesterday"'],
    ["next_wake_at", undefined, "missing"],
    ["deadline", 1796040000, "1796040000"],
    ["deadline", "2026-02-30T00:00:00Z", '"2026-02-30T00:00:00Z"'],
    ["backoff_seconds", -1, "-1"],
    ["max_attempts", 0, "0"],
    ["budget_tokens", 0, "0"],
    ["max_backoff_seconds", 31_536_001, "31536001"],
    ["lease_seconds", 1.5, "1.5"],
    ["max_attempts", 1_000_001, "1000001"],
    ["attempt_count", -1, "-1"],
    ["budget_tokens", 0, "0"],
    ["budget_tokens", "100", '"100"'],
    ["tokens_used", null, "null"],
    ["no_progress_count", true, "true"],
    ["unclaimed_count", null, "null"],
    ["status", "open", '"open"'],
    ["woke_once", 1, "1"],
    ["in_backoff", "false", '"false"'],
    ["result_address", "p/x.md", '"p/x.md"'],
    ["lease", [], "[]"],
    ["event_receipts", {}, "{}"],
    ["event_receipts", "none", '"none"'],
    ["last_wake_checkpoint_fp", "xyz", '"xyz"'],
    ["last_wake_checkpoint_sha256", "4b56b1702e711f4c", '"4b56b1702e711f4c"'],
    ["completed_at", "24:00", '"24:00"'],
  ])("a bad %s is a SCHEMA fault that names the file, the field and what was found: %j", (field, value, found) => {
    const error = jobErrorOf(() => parse(jobText({ [field]: value })));
    expect(error).toMatchObject({ code: "SCHEMA", file: FILE, field });
    expect(error.message).toContain(
      `${FILE}: ${field} is ${value === "two\u2029lines" ? "" : found.startsWith("xxx") ? '"xxx' : found}`,
    );
    expect(error.message).toMatch(/; it must /);
    expect(error.message).not.toContain("\n");
    expect(error.message.length).toBeLessThan(300);
  });

  test.each([
    ["lease.until", "lease", { lease_id: "l", holder: "h", until: "soon" }, '"soon"'],
    ["lease.holder", "lease", { lease_id: "l", until: "2026-11-30" }, "missing"],
    ["blocker.kind", "blocker", { kind: "weather", detail: "d", fingerprint: "f" }, '"weather"'],
    ["completion_predicate.type", "completion_predicate", { type: "never" }, '"never"'],
    ["completion_predicate.path", "completion_predicate", { type: "checkpoint_equals", value: 1, path: "a..b" }, '"a..b"'],
    ["completion_predicate.value", "completion_predicate", { type: "checkpoint_equals" }, "missing"],
    [
      "event_receipts.1.ts",
      "event_receipts",
      [
        { attempt_id: "a", event: "e", ts: "2026-11-30" },
        { attempt_id: "a", event: "e", ts: "noon" },
      ],
      '"noon"',
    ],
    ["event_receipts.0.event", "event_receipts", [{ attempt_id: "a", ts: "2026-11-30" }], "missing"],
  ])("a fault inside is named by its path: %s", (path, field, value, found) => {
    const error = jobErrorOf(() => parse(jobText({ [field]: value })));
    expect(error).toMatchObject({ code: "SCHEMA", file: FILE, field: path });
    expect(error.message).toContain(`${FILE}: ${path} is ${found}`);
  });

  test.each(["1e400", "-1e400", "9007199254740993", "1.0e-3"])("a number is told as it stands in the file: %s", (text) => {
    const error = jobErrorOf(() => parse(withField("budget_tokens", text)));
    expect(error.message).toContain(`budget_tokens is ${text};`);
  });
});
