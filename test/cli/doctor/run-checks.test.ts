import { expect, test } from "vitest";
import type { Check } from "../../../src/cli/doctor/check.ts";
import { Examined } from "../../../src/cli/doctor/examined.ts";
import { ok } from "../../../src/cli/doctor/finding.ts";
import { runChecks } from "../../../src/cli/doctor/run-checks.ts";
import { processEnvironment } from "../../../src/cli/environment.ts";
import { JobError } from "../../../src/errors/job-error.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const good: Check = { name: "good", look: () => [ok("all is well")] };
const throwing: Check = {
  name: "throwing",
  look: () => {
    throw new TypeError("a bug");
  },
};
const refused: Check = { name: "refused", look: () => Promise.reject(new JobError("IO", "wake_jobs: this user may not")) };
const hanging: Check = { name: "hanging", look: () => new Promise(() => undefined) };

test("a check that throws, is refused or hangs is a finding, and the others are told all the same", async () => {
  const examined = new Examined({}, { ...processEnvironment(), cwd: tempDirectory(), env: {} });
  const findings = await runChecks([throwing, refused, hanging, good], examined, 50);
  expect(findings.map(({ check, level, found }) => [check, level, found])).toEqual([
    ["throwing", "trouble", "this check failed: a bug"],
    ["refused", "trouble", "wake_jobs: this user may not"],
    ["hanging", "trouble", "this check failed: no answer within 50 ms"],
    ["good", "ok", "all is well"],
  ]);
  expect(findings.filter(({ level, remedy }) => level === "trouble" && remedy === undefined)).toEqual([]);
});
