import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import { FIELDS } from "../../src/job/fields.ts";
import { git } from "../support/git.ts";
import { inTurn, say } from "../support/model-server-answer.ts";
import { packPackage } from "../support/packed-package.ts";
import { CLI } from "../support/run-cli.ts";
import { standInClaude } from "../support/stand-in-claude.ts";
import { WorkflowWorld } from "../support/workflow-world.ts";

const JOB = "nightly-report-01";
const KEY = "sk-the-repository's-secret";
const PAGE = `mkdir -p p && echo "All quiet." > p/${JOB}.md && git add p && git commit -q -m "Nightly report" && git push -q origin HEAD:main`;
const WOKE_ITS_HARNESS = `contains(fromJSON(needs.watch.outputs.woken_harnesses || '[]'), 'claude-code')`;
const BOT = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>";

const canEnclose = await findEnclosure({ choice: "bwrap", env: process.env }).then(
  () => true,
  () => false,
);

describe("the workflow of init --worker", () => {
  let world: WorkflowWorld;
  beforeAll(async () => {
    world = await WorkflowWorld.open({ "@anthropic-ai/claude-code": [standInClaude()] });
    expect(await world.setUp("claude-code")).toEqual([expect.stringContaining("--package-lock-only --ignore-scripts")]);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("gives its worker less time than a lease, a right to push, and the key in one step alone", () => {
    const [watch, work] = [world.job("watch"), world.job("work")];
    expect(work["timeout-minutes"]).toBeLessThan(FIELDS.lease_seconds.default / 60);
    expect(work.permissions).toEqual({ contents: "write" });
    const holders = [...watch.steps, ...work.steps].filter((step) => JSON.stringify(step).includes("secrets.ANTHROPIC"));
    expect(holders).toHaveLength(1);
    expect(holders[0]?.run).toContain(" work --harness claude-code --agent claude-code --once ");
  });

  test("starts its worker only where the tick woke a job of its harness", async () => {
    const [watch, work] = [world.job("watch"), world.job("work")];
    expect(watch.outputs).toEqual({ woken_harnesses: `\${{ steps.tick.outputs.woken_harnesses }}` });
    expect(work).toMatchObject({ needs: "watch", if: `\${{ !cancelled() && ${WOKE_ITS_HARNESS} }}` });
    const quiet = await world.run("watch");
    expect(quiet.code, quiet.output).toBe(0);
    expect(quiet.outputs.get("steps.tick.outputs.woken_harnesses")).toBe("[]");
  });

  test.skipIf(!canEnclose)("takes a job to DONE by its own command lines", async () => {
    world.model.script = inTurn(say(PAGE));
    await world.create(JOB, "claude-code");
    const tick = await world.run("watch");
    expect(tick.code, tick.output).toBe(0);
    expect(tick.outputs.get("steps.tick.outputs.woken_harnesses")).toBe('["claude-code"]');

    const keyless = await world.run("work");
    expect(keyless).toMatchObject({ code: 2, output: expect.stringContaining("::error::There is no key for claude-code") });
    expect(await world.shown(JOB)).toMatchObject({ status: "LEASED", tokens_used: 0 });

    const worked = await world.run("work", { ANTHROPIC_API_KEY: KEY });
    expect(worked.code, worked.output).toBe(0);
    const done = await world.shown(JOB);
    expect(done).toMatchObject({ status: "DONE", attempt_count: 1 });
    expect(JSON.stringify(done.event_receipts)).toContain("gh-worker-4711-1");
    expect(git(world.remote, "show", `main:p/${JOB}.md`)).toBe("All quiet.");
    expect(git(world.remote, "log", "-1", "--format=%an <%ae>", "main")).toBe(BOT);
    expect(worked.output).not.toContain(KEY);
    expect(world.model.asked.map(({ headers }) => headers["x-api-key"])).toEqual([KEY]);
  });

  test.skipIf(!canEnclose)("lets a worker whose run is cancelled stop its agent and give the attempt up", async () => {
    world.model.script = () => ({ kind: "hang" });
    await world.create("weekly-report-01", "claude-code");
    await world.run("watch");
    const cancelled = await world.run("work", { ANTHROPIC_API_KEY: KEY }, (line, signal) => {
      // A runner sends the one, and after some seconds the other.
      if (line.includes('"event":"claimed"')) signal("SIGINT");
      if (line.includes('"event":"stopping"')) signal("SIGTERM");
    });
    expect(cancelled.output).toContain('"event":"ended"');
    expect(cancelled.code).toBe(1);
    const job = await world.shown("weekly-report-01");
    expect(job).toMatchObject({ status: "OPEN", lease: null });
    expect(job.event_receipts.at(-1)).toMatchObject({ event: "failed" });
  });
});

test("what init says of an unpinned program makes the workflow's lines work", async () => {
  await using world = await WorkflowWorld.open({});
  const { left_to_do: steps } = JSON.parse(await world.shell(`node ${CLI} init`));
  const [, file = "", into = "", line = ""] =
    /makes (\S+\.tgz)\. Put it into (\S+), run `(.*?)`, and commit/.exec(steps[0]) ?? [];
  await world.shell(`mkdir -p ${into} && cp ${packPackage()} ${into}/${file} && ${line}`);
  world.push();
  const looked = await world.run("look");
  expect(looked.code, looked.output).toBe(0);
  expect(looked.output).toContain('"state":"TICKED"');
});
