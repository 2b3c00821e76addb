import { randomUUID } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import type { EnclosureKind } from "../../../src/harness/enclosure/enclosure.ts";
import { fakeAgent, processesWith, WorkerProcess } from "../../support/enclosed-run.ts";
import { unprivilegedLauncher } from "../../support/unprivileged-launcher.ts";

const unprivileged = unprivilegedLauncher();
const USERS = [
  { user: "this user", launcher: [] },
  ...(unprivileged === undefined || unprivileged.length === 0 ? [] : [{ user: "nobody", launcher: unprivileged }]),
];

/** The kinds that reach every process, and the one that misses what clears its environment. */
const COMPLETE: readonly EnclosureKind[] = ["bwrap", "unshare", "cgroup"];
const CASES = USERS.flatMap((who) =>
  [...COMPLETE, "marks" as const].map((kind) => ({ ...who, kind, cleared: kind === "marks" ? "" : "cleared" })),
);

function enclosed(kind: EnclosureKind, launcher: readonly string[], agent: string, ...args: readonly string[]): WorkerProcess {
  return new WorkerProcess({ kind, argv: [fakeAgent(agent), ...args], cwd: "/" }, launcher);
}

/** Whether this machine gives this user an enclosure of that kind. */
async function trial(kind: EnclosureKind, launcher: readonly string[]): Promise<boolean> {
  await using worker = new WorkerProcess({ kind, argv: ["true"], cwd: "/" }, launcher);
  return !("unavailable" in (await worker.ended()));
}

/** What is killed needs a moment to be gone; what is not stays for ever. */
async function allGone(mark: string): Promise<void> {
  await vi.waitFor(() => expect(processesWith(mark)).toEqual([]), { timeout: 120_000 });
}

describe.each(CASES)("when a run under $kind, by $user, is over, nothing of it is left", { concurrent: true }, (who) => {
  const { kind, launcher, cleared } = who;
  const isPossible = trial(kind, launcher);

  test("when its agent ends by itself and leaves children behind", async ({ expect, skip }) => {
    skip(!(await isPossible));
    const mark = randomUUID();
    await using worker = enclosed(kind, launcher, "leave-children", mark, "", cleared);
    expect(await worker.ended()).toEqual({ state: "ended", exit_code: 0, signal: null });
    expect(processesWith(mark)).toEqual([]);
  });

  test("when the worker is killed", async ({ expect, skip }) => {
    skip(!(await isPossible));
    const mark = randomUUID();
    await using worker = enclosed(kind, launcher, "leave-children", mark, "stay", cleared);
    await worker.heard("ready");
    expect(processesWith(mark).length).toBeGreaterThan(4);
    await worker.kill();
    await allGone(mark);
  });

  test("when the worker is killed while it waits for an agent to end that it asked to", async ({ skip }) => {
    skip(!(await isPossible));
    const mark = randomUUID();
    await using worker = enclosed(kind, launcher, "ignore-term", mark);
    await worker.heard("ready");
    worker.stop(60_000);
    await worker.kill();
    await allGone(mark);
  });

  test("when the agent ignores that it is asked to end", async ({ expect, skip }) => {
    skip(!(await isPossible));
    const mark = randomUUID();
    await using worker = enclosed(kind, launcher, "ignore-term", mark);
    await worker.heard("ready");
    worker.stop(100);
    expect(await worker.ended()).toEqual({ state: "stopped", why: "told to", by: "killed" });
    expect(processesWith(mark)).toEqual([]);
  });

  test("and an agent below a script that ends at once still has its grace", async ({ expect, skip }) => {
    skip(!(await isPossible));
    const mark = randomUUID();
    await using worker = enclosed(kind, launcher, "say-goodbye", mark);
    await worker.heard("ready");
    worker.stop(30_000);
    expect(await worker.ended()).toEqual({ state: "stopped", why: "told to", by: "asked" });
    expect(worker.out).toContain("goodbye");
    expect(worker.out).not.toContain("never");
    expect(processesWith(mark)).toEqual([]);
  });
});

test("under a process group alone a worker that is killed takes with it what has not left the group", async () => {
  const mark = randomUUID();
  const agent = ["sh", "-c", "sh -c 'while :; do sleep 1; done' $0 & echo ready; while :; do sleep 1; done", mark] as const;
  await using worker = new WorkerProcess({ kind: "group", argv: agent, cwd: "/" });
  await worker.heard("ready");
  expect(processesWith(mark).length).toBeGreaterThan(1);
  await worker.kill();
  await allGone(mark);
});

test.each([...COMPLETE, "marks" as const])("all of 100 MB that an agent writes under %s arrives", async (kind) => {
  if (!(await trial(kind, []))) return;
  await using worker = enclosed(kind, [], "talk-much");
  expect(await worker.ended()).toEqual({ state: "ended", exit_code: 0, signal: null });
  expect(worker.bytes).toBe(104_857_600 + "\nthe last line\n".length);
});
