import { expect, test } from "vitest";
import { promptOf } from "../../../src/harness/worker/prompt.ts";
import type { OwnClaim, RunFiles } from "../../../src/harness/worker/run-files.ts";

const FILES: RunFiles = {
  directory: "/run",
  prompt: "/run/prompt.md",
  checkpoint: "/run/checkpoint.json",
  outcome: "/run/outcome.json",
};

const CLAIM: OwnClaim = {
  ok: true,
  state: "CLAIMED",
  invoke_model: true,
  job_id: "harbor-notes-01",
  attempt_id: "harbor-notes-01-a01",
  claim_id: "00112233445566778899aabb",
  step: 1,
  lease: { lease_id: "lease-1", holder: "worker", until: "2026-11-30T12:15:00Z" },
  lease_seconds: 900,
  checkpoint: {},
  objective: "Write the notes",
  instructions: "",
  deadline: "2026-12-01T12:00:00Z",
  tokens_left: 1000,
  completion_predicate: { type: "result_address_on_head" },
  result_address: "harbor-notes-01",
};

test.each([
  [90_500, "This run is stopped after 90 seconds"],
  [600_000, "This run is stopped after 10 minutes"],
  [3_600_000, "This run is stopped after 60 minutes"],
])("the prompt of a run of %d ms tells how long it may take", (timeLimitMs, says) => {
  expect(promptOf(CLAIM, { files: FILES, pagesDirectory: "p", leaves: "file", timeLimitMs })).toContain(says);
});
