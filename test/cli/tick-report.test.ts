import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { markdownSummary } from "../../src/cli/markdown-summary.ts";
import { summarize } from "../../src/wake/summary.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test.each(["", "no/such/directory/summary.md"])(
  "a report that cannot be written (%j) hides nothing of the tick",
  async (path) => {
    const cwd = tempDirectory();
    mkdirSync(join(cwd, "wake_jobs"));
    putJob(join(cwd, "wake_jobs"), "harbor-crane-001");
    const { code, out } = await runInProcess({ cwd }, "--tick", "--now", atNoon(), "--summary", path);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true, state: "TICKED", wake_count: 1 });
  },
);

test("the report of a pass fits a workflow's summary however many mails failed", () => {
  const deliveries = Array.from({ length: 20_000 }, (_, i) => ({
    ok: false,
    state: "FAILED",
    job_id: `harbor-crane-${i}`,
    attempt_id: `harbor-crane-${i}-a01`,
    error: "answered 200 without the message as it was sent",
  }));
  const report = markdownSummary(summarize({ now: 0, worker_id: "test", store: "file", written: true }, [], deliveries));
  expect(Buffer.byteLength(report)).toBeLessThan(1024 * 1024);
  expect(report).toContain("… and 19800 more.");
});
