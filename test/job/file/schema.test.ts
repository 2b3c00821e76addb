import { describe, expect, test } from "vitest";
import { isJobId, requireJobId } from "../../../src/job/job-id.ts";
import { jobErrorOf } from "../../support/job-error-of.ts";

describe("an id is 8 to 80 letters, digits, dots, dashes or underscores, starting with a letter or digit", () => {
  test.each([
    "harbor-01",
    "A1234567",
    "0......x",
    "x".repeat(80),
    "harbor-0001.json",
    "CON-CON-CON",
    "console.log-01",
    "com10.job-01",
  ])("%s is one", (id) => {
    expect(isJobId(id)).toBe(true);
    requireJobId(id);
  });

  test.each([
    "",
    "short-7",
    "x".repeat(81),
    "../harbor-01",
    "..",
    "harbor/0001",
    "harbor\\0001",
    ".harbor-01",
    "-harbor-01",
    "_harbor-01",
    "CON",
    "con.harbor-01",
    "Lpt9.job-0001",
    "NUL.........x",
    "harbor-0001.",
    "harbor 0001",
    "harbor-0001\n",
    "\nharbor-0001",
    "harbor-0001\0",
    "härbor-0001",
    "ｈarbor-0001",
  ])("%j is none, and the refusal shows it", (id) => {
    expect(isJobId(id)).toBe(false);
    const error = jobErrorOf(() => requireJobId(id));
    expect(error).toMatchObject({ code: "SCHEMA", field: "job_id" });
    expect(error.message).toContain(JSON.stringify(id.slice(0, 100)));
    expect(error.message).not.toContain("\n");
  });
});
