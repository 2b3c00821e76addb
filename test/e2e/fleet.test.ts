import { beforeAll, describe, expect, it } from "vitest";
import type { TickSummary } from "../../src/wake/summary.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { expectJob, type FleetPass, passOver, rowsByName } from "../support/fleet-pass.ts";
import { expectedFleet, fleetRepository } from "../support/fleet-repository.ts";
import { git } from "../support/git.ts";

const expected = expectedFleet();

describe("one tick over the fleet", () => {
  let repository: string;
  let first: FleetPass;
  beforeAll(async () => {
    repository = fleetRepository();
    first = await passOver({ cwd: repository });
  });

  it.each(Object.entries(expected.jobs))("decides and leaves %s as the table of contract §3 says", (name, want) => {
    expectJob(name, want, first);
  });

  it("has one row for each job file and for nothing else", () => {
    expect([...rowsByName(first.run.json).keys()].sort()).toEqual(Object.keys(expected.jobs).sort());
    expect(first.run.json.jobs).toHaveLength(Object.keys(expected.jobs).length);
  });

  it("leaves no stray file and takes none away", () => {
    expect(Object.keys(first.after)).toEqual(Object.keys(first.before));
  });

  it("counts its rows and says that no model ran", () => {
    const { WAKE, STOP, BACKOFF, HOLD, ERROR } = expected.counts;
    expect(first.run.json).toMatchObject({
      ok: false,
      state: "TICKED",
      now: expected.now,
      wake_count: WAKE,
      stop_count: STOP,
      backoff_count: BACKOFF,
      hold_count: HOLD,
      error_count: ERROR,
      invoke_model_count: WAKE,
      deliveries: [],
      delivered_count: 0,
      process_model_invocations: 0,
      invoke_model: false,
    });
  });

  it("exits 1 because of its ERROR rows, and tells each of them on stderr", () => {
    expect(first.run.code).toBe(1);
    for (const { file } of Object.values(expected.jobs)) if (file !== undefined) expect(first.run.stderr).toContain(file);
    expect(first.run.stderr).not.toMatch(/\n\s+at /);
  });

  it("leaves its counts in _last_tick.json, which git does not see", () => {
    const {
      jobs: _,
      deliveries: __,
      schema_version: ___,
      ...counts
    } = first.run.json as TickSummary & { schema_version: number };
    expect(JSON.parse(directoryBytes(repository)["wake_jobs/_last_tick.json"] ?? "")).toEqual(counts);
    expect(git(repository, "status", "--porcelain")).not.toContain("_last_tick");
  });

  it("changes nothing when it runs again at the same moment", async () => {
    const second = await passOver({ cwd: repository });
    expect(second.after).toEqual(first.after);
    expect(second.run.code).toBe(1);
    expect(second.run.json).toMatchObject({ wake_count: 0, backoff_count: 0, error_count: expected.counts.ERROR });
  });
});

describe("--dry-run over the fleet", () => {
  it("prints the rows of the tick and changes nothing at all", async () => {
    const repository = fleetRepository();
    const before = directoryBytes(repository);
    const dry = await passOver({ cwd: repository }, "--dry-run");
    expect(directoryBytes(repository)).toEqual(before);
    const wet = await passOver({ cwd: repository });
    expect(dry.run.json).toEqual({ ...wet.run.json, written: false });
    expect(dry.run.code).toBe(wet.run.code);
    expect(wet.after).not.toEqual(wet.before);
  });
});
