import fc from "fast-check";
import { expect, test } from "vitest";
import { asDocument } from "../../../src/job/file/parse-job.ts";
import { isPlainlyAJob } from "../../../src/job/file/quick-check.ts";
import { findFault } from "../../../src/job/file/schema.ts";
import type { JsonObject } from "../../../src/json/json.ts";
import { formatCanonical, parseLossless } from "../../../src/json/lossless-json.ts";
import { arbitraryJob } from "../../support/arbitrary-job.ts";
import { fuzzRuns } from "../../support/fuzz-runs.ts";
import { HOSTILE_VALUES } from "../../support/hostile-values.ts";
import { jobOf } from "../../support/job-builder.ts";
import { WOKEN_AT_STEP_0 } from "../../support/woken-job.ts";

const COMPLETE = asDocument(
  jobOf({
    ...WOKEN_AT_STEP_0,
    last_blocker_fingerprint: null,
    created_at: "2026-11-30T12:00:00Z",
    updated_at: "2026-11-30T12:00:00Z",
    completed_at: null,
    cancel_reason: null,
    exhausted_reason: null,
  }),
);

function schemaAccepts(document: JsonObject): boolean {
  return findFault(document) === undefined;
}

function withField(document: JsonObject, field: string, json: string | undefined): JsonObject {
  const { [field]: _old, ...rest } = document;
  if (json === undefined) return rest;
  return parseLossless(`${formatCanonical(rest).slice(0, -1)},${JSON.stringify(field)}:${json}}`) as JsonObject;
}

const EVERY_VALUE = [undefined, ...HOSTILE_VALUES];

test.each(Object.keys(COMPLETE))("whatever %s holds, the quick check accepts nothing that the schema refuses", (field) => {
  for (const json of EVERY_VALUE) {
    const document = withField(COMPLETE, field, json);
    if (isPlainlyAJob(document)) expect.soft(schemaAccepts(document), `${field}: ${json}`).toBe(true);
  }
});

test("two bad fields do not make a good job", () => {
  const field = fc.constantFrom(...Object.keys(COMPLETE));
  const mutation = fc.tuple(field, fc.constantFrom(...EVERY_VALUE));
  fc.assert(
    fc.property(arbitraryJob, fc.array(mutation, { minLength: 1, maxLength: 3 }), (job, mutations) => {
      const document = mutations.reduce((moved, [name, json]) => withField(moved, name, json), asDocument(job));
      if (isPlainlyAJob(document)) expect(schemaAccepts(document)).toBe(true);
    }),
    fuzzRuns(1000),
  );
});

test("the quick check does accept what nearly all job files are: otherwise it would only cost", () => {
  expect(isPlainlyAJob(COMPLETE)).toBe(true);
  const lease = { lease_id: "l", holder: "h", until: "2026-11-30T12:00:00Z" };
  expect(isPlainlyAJob({ ...COMPLETE, lease, status: "LEASED" })).toBe(true);
});
