import { afterAll, beforeAll, expect, it } from "vitest";
import type { Job } from "../../src/job/job.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { ForkedProgram } from "../support/forked-program.ts";
import { git } from "../support/git.ts";
import type { Heard } from "../support/listening-harness.ts";
import { type NtfyProcess, startNtfyProcess } from "../support/ntfy-process.ts";
import { type CliRun, runCli } from "../support/run-cli.ts";

const JOB = "nightly-report-01";
const FIRST = `${JOB}-a01`;
const SECOND = `${JOB}-a02`;
const TOPIC = "harbor-wakes";

let ntfy: NtfyProcess;
beforeAll(async () => {
  ntfy = await startNtfyProcess();
});
afterAll(() => ntfy.stop());

it("a job goes from create to DONE through mail, claim, renewal and checkpoint, each actor a process of its own", async () => {
  const { directory, remote } = fleetWithRemote({ ntfy: { urls: [`${ntfy.url}/${TOPIC}`] } });
  const cli = <Answer = Readonly<Record<string, unknown>>>(...args: readonly string[]): Promise<CliRun<Answer>> =>
    runCli<Answer>({ cwd: directory }, ...args);
  const tick = () => cli<TickSummary>("--tick", "--deliver", "--worker-id", "watchdog");
  const shown = async (): Promise<Job> => (await cli<Job>("show", JOB)).json;
  // A quick harness claims, and may even finish, before the tick has noted that the mail went out.
  const eventsBut = async (passedOver: string): Promise<readonly string[]> =>
    (await shown()).event_receipts.flatMap(({ attempt_id, event }) => (event === passedOver ? [] : `${attempt_id} ${event}`));
  const says = ["--owner", "HARBOR", "--harness", "script", "--objective", "Write the nightly report", "--within", "2d"];
  await using harness = new ForkedProgram<Heard>("./listening-harness.ts", directory);

  expect((await cli("create", JOB, ...says)).json).toMatchObject({ state: "CREATED" });

  const woken = await tick();
  expect(woken.code).toBe(0);
  expect(woken.json).toMatchObject({
    jobs: [{ job_id: JOB, action: "WAKE", reason: "RUNNABLE", attempt_id: FIRST }],
    deliveries: [{ ok: true, state: "MAIL", job_id: JOB, attempt_id: FIRST, host: ntfy.url, http_status: 200 }],
    delivered_count: 1,
    process_model_invocations: 0,
  });

  expect(await harness.hear()).toMatchObject({
    call: "claim",
    answer: { ok: true, state: "CLAIMED", invoke_model: true, attempt_id: FIRST, checkpoint: {} },
  });
  expect(await harness.hear()).toMatchObject({ call: "renew", answer: { state: "RENEWED", attempt_id: FIRST } });
  expect(await harness.hear()).toMatchObject({ call: "finish", answer: { state: "CHECKPOINT", attempt_id: FIRST } });
  expect(await eventsBut("deliver")).toEqual(historyOf(FIRST));
  expect(await shown()).toMatchObject({ status: "OPEN", lease: null, checkpoint: { drafted: true }, tokens_used: 1_200 });

  const again = await tick();
  expect(again.json).toMatchObject({
    jobs: [{ action: "WAKE", reason: "RUNNABLE", attempt_id: SECOND }],
    deliveries: [{ state: "MAIL", attempt_id: SECOND }],
  });
  expect(await harness.hear()).toMatchObject({ call: "claim", answer: { state: "CLAIMED", attempt_id: SECOND } });
  expect(await harness.hear()).toMatchObject({ call: "renew", answer: { state: "RENEWED", attempt_id: SECOND } });
  expect(await harness.hear()).toMatchObject({ call: "finish", answer: { ok: true, state: "DONE", attempt_id: SECOND } });
  expect(git(remote, "show", `main:p/${JOB}.md`)).toBe("All quiet.");
  expect(await shown()).toMatchObject({ status: "DONE", result: { kind: "report" }, result_address: JOB, tokens_used: 2_400 });

  expect(await eventsBut("deliver")).toEqual([...historyOf(FIRST), ...historyOf(SECOND), `${SECOND} complete`]);
  const { event_receipts } = await shown();
  expect(event_receipts.filter(({ event }) => event === "deliver")).toMatchObject([
    { attempt_id: FIRST, carrier: "MAIL", count: 1 },
    { attempt_id: SECOND, carrier: "MAIL", count: 1 },
  ]);

  const before = filesOf(directory);
  const requestsBefore = await ntfy.requests();
  const quiet = await tick();
  expect(quiet.code).toBe(0);
  expect(quiet.json).toMatchObject({ jobs: [{ action: "STOP", reason: "DONE" }], deliveries: [], delivered_count: 0 });
  expect(filesOf(directory)).toEqual(before);
  expect(await ntfy.requests()).toEqual(requestsBefore);
  expect(requestsBefore.filter(({ method }) => method === "POST")).toHaveLength(2);
});

/** What one finished attempt leaves in its job's history. */
function historyOf(attemptId: string): readonly string[] {
  return ["wake", "delivery_claim", "checkpoint", "ack"].map((event) => `${attemptId} ${event}`);
}

/** Every file of the repository, git's own too, but for the counts that each pass leaves for people. */
function filesOf(directory: string): Readonly<Record<string, string>> {
  const { "wake_jobs/_last_tick.json": _, ...files } = directoryBytes(directory);
  return files;
}
