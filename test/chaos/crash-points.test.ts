import { describe, expect, it } from "vitest";
import type { Job } from "../../src/job/job.ts";
import { dueJob } from "../support/due-job.ts";
import { ForkedProgram } from "../support/forked-program.ts";
import { JobsDirectory } from "../support/jobs-directory.ts";
import { Crash, KillPoints, type Moment } from "../support/kill-points.ts";
import { NOON } from "../support/noon.ts";
import { type Act, mailLog, OneLife, type Place, seenLog } from "../support/one-life.ts";
import { swiftDisk } from "../support/swift-disk.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { CHAOS_TIMEOUT_MS, COUNTS } from "./counts.ts";

const JOB = "mortal-0001";
const MOMENTS: readonly Moment[] = ["before", "after"];

/** What comes back after the crash: a harness that knows nothing of before, or one that wrote its claim down. */
const MEMORIES = ["forgets", "remembers", "remembers once a tick has passed"] as const;
type Memory = (typeof MEMORIES)[number];

describe("a crash at any call of any port of tick, mail, claim, renew and finish", { timeout: CHAOS_TIMEOUT_MS }, () => {
  it("is tried at every call that a whole life makes", async () => {
    const { called, acts } = await wholeLife();
    expect([...called].sort()).toEqual(EVERY_CALL);
    const turn = ["tick", "claim", "renew", "finish"];
    // The second time the harness finds both mails.
    expect(acts.map(({ name }) => name)).toEqual([...turn, "tick", "claim", "claim", "renew", "finish", "tick"]);
    for (const [i, { calls }] of acts.entries()) expect(calls).toBeGreaterThan(acts[i - 1]?.calls ?? 0);
  });

  it.each(MEMORIES)("loses no claim and doubles none, and the job is DONE, when a harness comes back that %s", async (memory) => {
    const recoveries = await inLanes(await everyDeath(), ({ moment, point, calls }) =>
      dieAndRecover(memory, `${moment} call ${point} of ${calls}`, async (place) => {
        const points = new KillPoints(point, moment, () => {
          throw new Crash();
        });
        using disk = swiftDisk();
        // Whatever it still says on its way out, a dead process would not have said.
        await new OneLife(place, { points, disk }).live().catch((error: unknown) => {
          if (!points.isDead) throw error;
        });
        expect(points.isDead, "died").toBe(true);
      }),
    );
    // What this is about did happen: the answer of either claim was lost, at this or that call.
    const lost = new Set(recoveries.flatMap(({ lostClaims }) => lostClaims));
    expect([...lost].sort()).toEqual([`${JOB}-a01`, `${JOB}-a02`]);
  });

  it("nor when it is a SIGKILL", async () => {
    const deaths = (await everyDeath()).filter((_, i) => i % COUNTS.realDeathEvery === 0);
    await inLanes(deaths, ({ moment, point, calls }, i) =>
      dieAndRecover(
        MEMORIES[i % MEMORIES.length] ?? "forgets",
        `${moment} call ${point} of ${calls}`,
        async ({ jobs, outside }) => {
          await using mortal = new ForkedProgram<string>("./mortal-life.ts", jobs, outside, String(point), moment);
          expect(await mortal.hear(), "its last words").toBeUndefined();
          expect(await mortal.over(), "died of").toBe("SIGKILL");
        },
      ),
    );
  });
});

interface Death {
  readonly moment: Moment;
  readonly point: number;
  readonly calls: number;
}

async function everyDeath(): Promise<Death[]> {
  const { calls } = await wholeLife();
  return MOMENTS.flatMap((moment) => Array.from({ length: calls }, (_, i) => ({ moment, point: i + 1, calls })));
}

/** Each life waits for the disk and for locks now and then: a few at once do not wait in turn. */
const LANES = 4;

async function inLanes<Item, Result>(
  items: readonly Item[],
  live: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [i, item] of queue) results.push(await live(item, i));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

/** What tick, mail, claim, renew and finish ask of their ports. Each time that they do is a point to die at. */
const EVERY_CALL = [
  ...["atHead", "claimId", "close", "create", "flush", "flushDirectory", "leaseId", "list", "makeDirectory", "monotonic", "now"],
  ...["read", "rename", "scan", "send", "stat", "statDirectory", "states", "transact"],
];

interface WholeLife {
  readonly calls: number;
  readonly called: ReadonlySet<string>;
  readonly acts: readonly Act[];
}

/** A life without a crash: how many calls it makes, and which. */
async function wholeLife(): Promise<WholeLife> {
  using stage = new Stage();
  const points = new KillPoints(Number.POSITIVE_INFINITY, "before", () => {
    throw new Crash();
  });
  using disk = swiftDisk();
  const life = new OneLife(stage.place, { points, disk });
  await life.live();
  expect(stage.job().status).toBe("DONE");
  return { calls: points.calls, called: points.called, acts: life.acts };
}

/** A job that is done in two attempts, and a page that the second one pushes; all of it gone when its `using` block ends. */
class Stage implements Disposable {
  readonly directory = new JobsDirectory([
    dueJob(JOB, { result_address: JOB, completion_predicate: { type: "result_address_on_head" } }),
  ]);
  readonly place: Place = { jobs: this.directory.path, outside: tempDirectory() };

  job(): Job {
    return this.directory.job(JOB);
  }

  [Symbol.dispose](): void {
    this.directory[Symbol.dispose]();
  }
}

const MINUTE = 60;
/** Far more than it takes: a lease, a back-off and two attempts. */
const TICKS_MAX = 40;

interface Recovery {
  /** The attempts whose claim stands and whose answer nobody ever got. */
  readonly lostClaims: readonly string[];
}

async function dieAndRecover(memory: Memory, death: string, die: (place: Place) => Promise<void>): Promise<Recovery> {
  using stage = new Stage();
  await die(stage.place);

  // The dead process's lock frees itself, which is another test's matter.
  stage.directory.takeLockForDead();
  using disk = swiftDisk();
  const life = new OneLife(stage.place, { disk, from: NOON + MINUTE });
  const verdicts: string[] = [];
  const tick = async (): Promise<void> => {
    verdicts.push(...(await life.tick()).jobs.map(({ action, reason }) => `${action} ${reason}`));
  };
  if (memory === "remembers once a tick has passed") await tick();
  if (memory !== "forgets") {
    const finished = await life.finishAgain();
    expect(finished ?? { ok: true }, `its finish, made again, ${death}`).toMatchObject({ ok: true });
  }
  for (let ticks = 0; ticks < TICKS_MAX && stage.job().status !== "DONE"; ticks++) {
    await tick();
    await life.work();
    life.now += 5 * MINUTE;
  }

  expect(stage.job().status, `${death}: ${verdicts.join(", ")}`).toBe("DONE");
  const recovery = expectClaimedOnce(stage, memory, death, verdicts);
  const [jobs, mails] = [stage.directory.texts(), mailLog(stage.place).entries()];
  expect((await life.tick()).jobs.map(({ reason }) => reason)).toEqual(["DONE"]);
  expect(stage.directory.texts(), `a tick after DONE, ${death}`).toEqual(jobs);
  expect(mailLog(stage.place).entries()).toEqual(mails);
  expect(stage.directory.tempFiles(), death).toEqual([]);
  return recovery;
}

/** Holds what the harness saw against what the job says of its claims. */
function expectClaimedOnce(stage: Stage, memory: Memory, death: string, verdicts: readonly string[]): Recovery {
  const { event_receipts, attempt_count } = stage.job();
  const claims = event_receipts.filter(({ event }) => event === "delivery_claim");
  const seen = seenLog(stage.place)
    .entries()
    .flatMap((entry) => ("claimed" in entry ? entry.claimed : []));
  expect(new Set(claims.map(({ attempt_id }) => attempt_id)).size, `claims that stand, ${death}`).toBe(claims.length);
  const claimIds = claims.map((claim) => claim["claim_id"]);
  for (const { claim_id } of seen) expect(claimIds, `a claim that was seen, ${death}`).toContain(claim_id);
  expect(new Set(seen.map(({ attempt_id }) => attempt_id)).size, `claims that were seen, ${death}`).toBe(seen.length);

  // A wake whose mail was lost is mailed again: no attempt is burned that nobody claimed.
  expect(attempt_count, `attempts minted, ${death}`).toBe(claims.length);

  const unseen = claims.filter((claim) => !seen.some(({ claim_id }) => claim_id === claim["claim_id"]));
  expect(unseen.length, `claims whose answer was lost, ${death}`).toBeLessThanOrEqual(1);
  for (const { attempt_id } of unseen) {
    // Nobody may take it again: a tick gives it up, and a later attempt does the work.
    expect(verdicts, death).toContain("BACKOFF UNCHANGED_CHECKPOINT");
    expect(event_receipts.filter((receipt) => receipt.attempt_id === attempt_id && receipt.event === "ack")).toEqual([]);
    expect(seen.at(-1)?.attempt_id.localeCompare(attempt_id), death).toBeGreaterThan(0);
  }
  // Two runs of the model do the work: their finish stands, or a tick found the page that they pushed. One that was cut off
  // counts for nothing, and only a harness that forgot it runs the model once more.
  const acks = event_receipts.filter(({ event }) => event === "ack").map(({ attempt_id }) => attempt_id);
  const isFoundByTick =
    event_receipts.some(({ event }) => event === "auto_complete") && !acks.includes(seen.at(-1)?.attempt_id ?? "");
  const finished = acks.length + (isFoundByTick ? 1 : 0);
  expect(new Set(acks).size, `acks, ${death}`).toBe(acks.length);
  expect(finished, `finished runs, ${death}`).toBe(2);
  expect(seen.length - finished, `runs that were cut off, ${death}`).toBeLessThanOrEqual(memory === "forgets" ? 1 : 0);
  // Whoever remembers its claim has its finish noted, also where a tick was quicker to see the page.
  if (memory !== "forgets") expect(isFoundByTick, death).toBe(false);
  return { lostClaims: unseen.map(({ attempt_id }) => attempt_id) };
}
