import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { markdownSummary } from "../../src/cli/markdown-summary.ts";
import { tickAnnotations } from "../../src/cli/tick-annotations.ts";
import { annotationLine } from "../../src/cli/workflow-command.ts";
import type { Row } from "../../src/wake/summary.ts";
import { summarize } from "../../src/wake/summary.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const PASS = { now: 0, worker_id: "test", store: "file", written: true } as const;

/** What Markdown, GitHub's own extras and HTML would make something of. */
const ACTIVE =
  "<img src=x> [a](https://evil.example) https://evil.example www.evil.example @octocat #1 | a \\| b ` c `` **d** &lt;";

/** A pass that met one broken file, whose name and fault are these words. */
function brokenPass(words: string) {
  const error = { code: "CORRUPT", message: words, file: words } as const;
  const row: Row = {
    ...{ job_id: null, action: "ERROR", reason: "CORRUPT", invoke_model: false },
    ...{ status: null, harness: null, next_wake_at: null, error },
  };
  const failed = { ok: false, state: "FAILED", job_id: "harbor-crane-001", attempt_id: "harbor-crane-001-a01", error: words };
  return summarize(PASS, [row], [failed]);
}

describe("in a step of GitHub Actions", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = tempDirectory();
    mkdirSync(join(cwd, "wake_jobs"));
    putJob(join(cwd, "wake_jobs"), "harbor-crane-001", { harness: "codex" });
    writeFileSync(join(cwd, "wake_jobs/harbor-crane-002.json"), "<<<<<<< ours\n");
  });

  function tick(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
    const files = { GITHUB_STEP_SUMMARY: join(cwd, "summary.md"), GITHUB_OUTPUT: join(cwd, "output") };
    return runInProcess({ cwd, env: { ...files, ...env } }, "--tick", "--now", atNoon(), ...args);
  }

  test("a tick leaves what changed as a table, and what woke as outputs, in the files that are offered", async () => {
    expect(await tick({ GITHUB_ACTIONS: "true" })).toMatchObject({ code: 1 });
    const summary = readFileSync(join(cwd, "summary.md"), "utf8");
    expect(summary).toContain("| `harbor-crane-001` | `WAKE` | `RUNNABLE` | `harbor-crane-001-a01` |\n");
    expect(summary).toContain("| `wake_jobs/harbor-crane-002.json` | `ERROR` | `CORRUPT` | `wake_jobs/harbor-crane-002.json: ");
    expect(readFileSync(join(cwd, "output"), "utf8")).toBe('woken_harnesses=["codex"]\nwake_count=1\nerror_count=1\n');
  });

  test("a broken file is shown beside the run, by a command on stderr: stdout holds the record alone", async () => {
    const { out, err } = await tick({ GITHUB_ACTIONS: "true" });
    expect(JSON.parse(out)).toMatchObject({ error_count: 1 });
    expect(err).toMatch(
      /^::error title=broken job file,file=wake_jobs\/harbor-crane-002\.json::wake_jobs\/harbor-crane-002\.json: /m,
    );
  });

  test("files that are named on the command line are written in the place of those", async () => {
    await tick({ GITHUB_ACTIONS: "true" }, "--summary", "mine.md", "--step-output", "mine");
    expect(readFileSync(join(cwd, "mine.md"), "utf8")).toContain("harbor-crane-001");
    expect(readFileSync(join(cwd, "mine"), "utf8")).toContain("wake_count=1\n");
    expect(() => readFileSync(join(cwd, "summary.md"))).toThrow("ENOENT");
  });

  test("a look says what is broken, and wakes nobody", async () => {
    await tick({ GITHUB_ACTIONS: "true" }, "--dry-run");
    expect(readFileSync(join(cwd, "output"), "utf8")).toBe("woken_harnesses=[]\nwake_count=0\nerror_count=1\n");
  });

  test("elsewhere nothing of this is written or said", async () => {
    const { err } = await tick({});
    expect(err).not.toContain("::error");
    expect(() => readFileSync(join(cwd, "summary.md"))).toThrow("ENOENT");
    expect(() => readFileSync(join(cwd, "output"))).toThrow("ENOENT");
  });
});

describe("words of a job file, whatever they are,", () => {
  const words = fc.oneof(
    fc.constant(ACTIVE),
    fc.string({ unit: "binary", maxLength: 80 }),
    fc.stringMatching(/^[`|\\<>&:%,#\r\n -]{1,40}$/),
  );

  test("stand in the summary inside a code span, in their cell", () => {
    fc.assert(
      fc.property(words, (given) => {
        const table = markdownSummary(brokenPass(given))
          .split("\n")
          .filter((line) => /^[|-] /.test(line) && !line.includes("---"));
        for (const line of table.slice(1)) {
          // What is left without the spans holds nothing of theirs.
          expect(line.replaceAll(/`[^`|]+`/g, "x")).toMatch(/^(?:\| x? ?\| x \| x \| x? ?\||- x)$/);
        }
      }),
      fuzzRuns(1000),
    );
  });

  test("are one line of the log, and one command at most", () => {
    fc.assert(
      fc.property(words, (given) => {
        const line = annotationLine({ level: "error", title: given, file: given, message: given });
        expect(line).toMatch(/^::error title=[^:,\r\n]*,file=[^:,\r\n]*::[^\r\n]*\n$/);
        expect(line.slice(2).match(/::(?=[a-z])|##\[/gi) ?? []).toEqual(/^::error [^:]*::[a-z]/i.test(line) ? ["::"] : []);
      }),
      fuzzRuns(1000),
    );
  });
});

test("of many broken files as many are annotated as GitHub shows, and the last says how many more there are", () => {
  const { jobs } = brokenPass("broken");
  const [row] = jobs;
  const summary = summarize(PASS, row === undefined ? [] : Array.from({ length: 25 }, () => row), []);
  const lines = tickAnnotations(summary).trimEnd().split("\n");
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toBe("::error title=broken job file::and 16 more; the run's summary lists them");
});
