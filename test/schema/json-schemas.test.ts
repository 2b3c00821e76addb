import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonSchemas } from "../../scripts/json-schemas.ts";
import { formatJob } from "../../src/job/file/format-job.ts";
import { formatMail, mailFor } from "../../src/mail/wake-mail.ts";
import { arbitraryJob } from "../support/arbitrary-job.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { expectedFleet, FLEET } from "../support/fleet-repository.ts";
import { harborFleet } from "../support/harbor-fleet.ts";
import { jobDocument, jobOf } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";

const ROOT = join(import.meta.dirname, "../..");

function ruleOf(name: string): ValidateFunction {
  return new Ajv2020({ strict: true, allErrors: true }).compile(
    JSON.parse(readFileSync(join(ROOT, `schema/${name}.json`), "utf8")),
  );
}

test("schema/ holds what the program's own rules say; npm run json-schemas writes it anew", () => {
  const made = [...jsonSchemas()].map(([file, text]) => [file, text]);
  const found = globSync("schema/*.json", { cwd: ROOT }).map((file) => [file, readFileSync(join(ROOT, file), "utf8")]);
  expect(found.toSorted()).toEqual(made.toSorted());
});

describe("the schema of a job", () => {
  const isJob = ruleOf("job");

  test("takes every job as the program writes it", () => {
    fc.assert(
      fc.property(arbitraryJob, (job) => {
        expect([isJob(JSON.parse(formatJob(job, job.job_id))), isJob.errors]).toEqual([true, null]);
      }),
    );
  });

  test("takes every file of the fleet that is a job", () => {
    const { jobs } = expectedFleet();
    const good = Object.entries(jobs).filter(([, { action }]) => action !== "ERROR");
    const faults = good.flatMap(([id]) => {
      const isGood = isJob(JSON.parse(readFileSync(join(FLEET, "wake_jobs", `${id}.json`), "utf8").replace("\uFEFF", "")));
      return isGood ? [] : [[basename(id), isJob.errors]];
    });
    expect(good.length).toBeGreaterThan(10);
    expect(faults).toEqual([]);
  });

  test.each<[string, object]>([
    ["an id with capitals", { job_id: "Harbor-Train-0001" }],
    ["a name for editors", { $schema: "../node_modules/harness-wake/schema/job.json" }],
    ["a key of tomorrow", { tomorrow: [1] }],
  ])("takes %s", (_, fields) => {
    expect(isJob({ ...jobDocument(), ...fields })).toBe(true);
  });

  test.each<[string, object]>([
    ["/job_id", { job_id: "con.harbor-1" }],
    ["/job_id", { job_id: "CON.harbor-1" }],
    ["/objective", { objective: "two\nlines" }],
    ["/budget_tokens", { budget_tokens: 0 }],
    ["/status", { status: "SLEEPING" }],
    ["/checkpoint", { checkpoint: [] }],
    ["/lease", { lease: { lease_id: "x" } }],
  ])("marks %s wrong in %j", (path, fields) => {
    expect(isJob({ ...jobDocument(), ...fields })).toBe(false);
    expect(isJob.errors?.map(({ instancePath }) => instancePath)).toContain(path);
  });
});

describe("the schema of records", () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  ajv.addSchema(JSON.parse(readFileSync(join(ROOT, "schema/records.json"), "utf8")), "records");

  test.each<[string, readonly string[]]>([
    ["tick", ["--tick", "--dry-run"]],
    ["tick", ["--tick"]],
    ["list", ["list"]],
    ["status", ["status"]],
    ["why", ["why", "harbor-working-01"]],
    ["why", ["why", "harbor-done-00001"]],
    ["claimed", ["claim", "--job", "harbor-offered-01", "--harness", "script"]],
    ["answer", ["claim", "--job", "harbor-done-00001", "--harness", "script"]],
    ["answer", ["cancel", "harbor-waiting-01", "--reason", "no more"]],
    ["answer", ["why", "harbor-nowhere-1"]],
    ["error", ["show", "harbor-broken-01"]],
    ["error", ["status", "--status", "sleepy"]],
  ])("takes %s as printed by %j", async (name, args) => {
    const { out } = await runInProcess({ cwd: harborFleet() }, ...args, "--now", atNoon());
    const isRecord = ajv.getSchema(`records#/$defs/${name}`);
    expect([isRecord?.(JSON.parse(out)), isRecord?.errors, out]).toEqual([true, null, out]);
    expect(ajv.validate("records", JSON.parse(out))).toBe(true);
  });
});

test("the schema of the config takes what it allows, and marks a key that is not known", () => {
  const isConfig = ruleOf("config");
  const config = {
    $schema: "./node_modules/harness-wake/schema/config.json",
    jobs_dir: "wake_jobs",
    store: "git",
    ntfy: { urls: ["https://ntfy.example.net/harbor"], token_env: "NTFY_TOKEN", timeout_seconds: 10 },
    git: { branch: "wake-state" },
    holds: { CURSOR_QUOTA_HOLD: { enabled: false }, NIGHT_HOLD: { match: ["codex"], note: "at night" } },
  };
  expect([isConfig(config), isConfig.errors]).toEqual([true, null]);
  expect(isConfig({ ...config, job_dir: "x" })).toBe(false);
  expect(isConfig({ ...config, holds: { night: {} } })).toBe(false);
});

test("the schema of a mail takes a mail as it is sent", () => {
  const isMail = ruleOf("mail");
  const attempt_id = "harbor-train-0001-a01";
  const lease = { lease_id: "lease-1", holder: "gh-watchdog", until: atNoon(900) };
  const wake = { attempt_id, event: "wake", lease_id: "lease-1", mail: "owed", ts: atNoon(), worker_id: "gh-watchdog" };
  const mail = mailFor(jobOf({ status: "LEASED", lease, event_receipts: [wake] }));
  const sent = mail === undefined ? undefined : JSON.parse(formatMail(mail));
  expect([isMail(sent), isMail.errors]).toEqual([true, null]);
  expect(isMail({ ...sent, from: "SOMEBODY" })).toBe(false);
});

test("the schema of an outcome takes one, and marks a key that is not known", () => {
  const isOutcome = ruleOf("outcome");
  expect(isOutcome({ $schema: "x", checkpoint: { step: 1 }, tokens_used: 10, cost_usd: 0.5, in: "30m" })).toBe(true);
  expect(isOutcome({ blocker: { kind: "external_authority", detail: "needs a key" } })).toBe(true);
  expect(isOutcome({ done: true })).toBe(false);
});
