import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runInProcess } from "../support/cli-in-process.ts";
import { jobBytes } from "../support/directory-bytes.ts";
import { GIT_ENV } from "../support/git.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ID = "harbor-crane-001";
const DAY = 86_400;
const SLIP = "2062-11-30T12:00:00Z";
const CLAIM = JSON.stringify({ job_id: ID, attempt_id: `${ID}-a01`, claim_id: "claim-0" });

let cwd: string;
beforeEach(() => {
  cwd = tempDirectory();
  mkdirSync(join(cwd, "wake_jobs"));
  putJob(join(cwd, "wake_jobs"), ID);
});

const WRITES: readonly (readonly string[])[] = [
  ["--tick"],
  ["create", "harbor-crane-002", "--owner", "HARBOR", "--harness", "script", "--objective", "Go", "--within", "2d"],
  ["update", ID, "--objective", "Go"],
  ["cancel", ID],
  ["block", ID, "--detail", "x"],
  ["unblock", ID],
  ["release", ID],
  ["claim", "--job", ID],
  ["renew", CLAIM],
  ["finish", CLAIM],
  ["fail", CLAIM, "--detail", "x"],
];

describe("--now more than a day from the machine's clock", () => {
  test.each(WRITES)("is refused for what writes: %s", async (...args) => {
    const before = jobBytes(join(cwd, "wake_jobs"));
    for (const now of [SLIP, "2020-01-01", atNoon(DAY + 1), atNoon(-DAY - 1)]) {
      const { code, out } = await runInProcess({ cwd }, ...args, "--now", now);
      expect([code, JSON.parse(out)]).toMatchObject([2, { code: "USAGE", field: "now" }]);
      expect(JSON.parse(out).message).toContain("HARNESS_WAKE_SIMULATE=1");
    }
    expect(jobBytes(join(cwd, "wake_jobs"))).toEqual(before);
  });

  test.each([[["--tick", "--dry-run"]], [["list"]], [["show", ID]], [["holds"]]])(
    "is taken by what only looks: %j",
    async (args) => {
      expect(await runInProcess({ cwd }, ...args, "--now", SLIP)).toMatchObject({ code: 0 });
    },
  );

  test("is taken by a simulation", async () => {
    const env = { ...GIT_ENV, HARNESS_WAKE_SIMULATE: "1" };
    const { out } = await runInProcess({ cwd, env }, "--tick", "--now", SLIP);
    expect(JSON.parse(out)).toMatchObject({ ok: true, jobs: [{ reason: "DEADLINE" }] });
  });

  test.each([DAY, -DAY])("and %i seconds are not more than that", async (seconds) => {
    expect(await runInProcess({ cwd }, "--tick", "--now", atNoon(seconds))).toMatchObject({ code: 0 });
  });
});
