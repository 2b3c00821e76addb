import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import { FIELDS } from "../../src/job/fields.ts";
import type { Job } from "../../src/job/job.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { addRemote, cloneOf, commitAll, freshRepository } from "../support/git-repository.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { inTurn, say } from "../support/model-server-answer.ts";
import { NpmRegistry } from "../support/npm-registry.ts";
import { packPackage } from "../support/packed-package.ts";
import { runCli } from "../support/run-cli.ts";
import { standInClaude } from "../support/stand-in-claude.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { type Runner, runJob, workflowJobs } from "../support/workflow-job.ts";

const run = promisify(execFile);

const JOB = "nightly-report-01";
const KEY = "sk-the-repository's-secret";
const PAGE = `mkdir -p p && echo "All quiet." > p/${JOB}.md && git add p && git commit -q -m "Nightly report" && git push -q origin HEAD:main`;
const WORKS_ON_THIS = `!cancelled() && contains(fromJSON(needs.watch.outputs.woken_harnesses || '[]'), 'claude-code')`;

const canEnclose = await findEnclosure({ choice: "bwrap", env: process.env }).then(
  () => true,
  () => false,
);

let registry: NpmRegistry;
let model: ModelServer;
let remote: string;
/** What a machine has beside a checkout: npm's settings, a home, and here the address of the scripted model. */
let env: Record<string, string | undefined>;

/** A repository with the packed package installed, set up by the lines that `init` gives, and pushed. */
beforeAll(async () => {
  registry = await NpmRegistry.open({ "@anthropic-ai/claude-code": standInClaude() });
  model = await startModelServer(inTurn(say(PAGE)));
  const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  env = { ...GIT_ENV, ...registry.env, PATH: path, HOME: tempDirectory(), ANTHROPIC_BASE_URL: model.url };
  const mine = freshRepository();
  writeFileSync(join(mine, ".gitignore"), "node_modules/\n");
  commitAll(mine);
  remote = addRemote(mine);
  const shell = (line: string) => run("bash", ["-ec", line], { cwd: mine, env });
  await shell(`cp ${packPackage()} . && npm install --save-dev ./harness-wake-*.tgz`);
  const { left_to_do: steps } = JSON.parse((await shell("node_modules/.bin/harness-wake init --worker claude-code")).stdout);
  const pins = steps.flatMap((step: string) => /^Pin .*?`(.*?)`/.exec(step)?.[1] ?? []);
  expect(pins).toHaveLength(1);
  for (const line of pins) await shell(line);
  commitAll(mine);
  git(mine, "push", "-q", "origin", "main");
});
afterAll(async () => {
  await model.down();
  await registry[Symbol.asyncDispose]();
});

function runner(secrets: Readonly<Record<string, string>> = { ANTHROPIC_API_KEY: KEY }): Runner {
  const unset = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "HARNESS_WAKE_NTFY_URLS", "NTFY_TOKEN"];
  const given = unset.map((name) => [`secrets.${name}`, secrets[name] ?? ""]);
  const expressions = {
    ...Object.fromEntries(given),
    "secrets.NTFY_TOKEN != '' && 'NTFY_TOKEN' || ''": "",
    "github.run_id": "4711",
    "github.run_attempt": "1",
  };
  return { checkout: cloneOf(remote, "--depth", "1"), env, expressions };
}

async function shownJob(): Promise<Job> {
  return (await runCli<Job>({ cwd: cloneOf(remote) }, "show", JOB)).json;
}

describe("the workflow of init --worker", () => {
  test("gives its worker's job less time than a lease, a right to push, and the key in one step alone", () => {
    const { watch, work } = workflowJobs(cloneOf(remote));
    expect(work?.["timeout-minutes"]).toBeLessThan(Number(FIELDS.lease_seconds.default) / 60);
    expect(work?.permissions).toEqual({ contents: "write" });
    expect(work?.needs).toBe("watch");
    const holding = [...(watch?.steps ?? []), ...(work?.steps ?? [])].filter((step) =>
      JSON.stringify(step).includes("secrets.ANTHROPIC"),
    );
    expect(holding).toHaveLength(1);
    expect(holding[0]?.run).toContain(" work --harness claude-code --agent claude-code --once ");
  });

  test.skipIf(!canEnclose)("takes a job to DONE by its own command lines, and only where something woke", async () => {
    const jobs = workflowJobs(cloneOf(remote));
    const { watch, work } = jobs;
    if (watch === undefined || work === undefined) throw new Error(`there are jobs ${Object.keys(jobs)}`);
    expect(work.if).toBe(`\${{ ${WORKS_ON_THIS} }}`);
    expect(watch.outputs).toEqual({ woken_harnesses: `\${{ steps.tick.outputs.woken_harnesses }}` });

    const quiet = await runJob(watch, runner());
    expect(quiet).toMatchObject({ code: 0, outputs: new Map([["steps.tick.outputs.woken_harnesses", "[]"]]) });

    const told = ["--owner", "HARBOR", "--harness", "claude-code", "--objective", "Write the report", "--within", "2d"];
    await runCli({ cwd: cloneOf(remote) }, "create", JOB, ...told);
    const tick = await runJob(watch, runner());
    expect(tick.code, tick.output).toBe(0);
    expect(tick.outputs.get("steps.tick.outputs.woken_harnesses")).toBe('["claude-code"]');

    const keyless = await runJob(work, runner({}));
    expect(keyless).toMatchObject({ code: 2, output: expect.stringContaining("::error::There is no key for claude-code") });
    expect((await shownJob()).status).toBe("LEASED");

    const worked = await runJob(work, runner());
    expect(worked.code, worked.output).toBe(0);
    expect(await shownJob()).toMatchObject({ status: "DONE", attempt_count: 1 });
    expect(git(remote, "show", `main:p/${JOB}.md`)).toBe("All quiet.");
    expect(git(remote, "log", "-1", "--format=%an <%ae>", "main")).toBe(
      "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>",
    );
    expect(worked.output).not.toContain(KEY);
    expect(JSON.stringify(await shownJob())).toContain("gh-worker-4711-1");
    expect(model.asked.map(({ headers }) => headers["x-api-key"])).toEqual([KEY]);
  });
});

test("what init says of an unpinned program makes the workflow's lines work", async () => {
  const mine = freshRepository();
  commitAll(mine);
  const origin = addRemote(mine);
  const { left_to_do: steps } = (await runCli<{ readonly left_to_do: readonly string[] }>({ cwd: mine }, "init")).json;
  const [pin = ""] = steps;
  const [, file = "", into = ""] = /makes (\S+\.tgz)\. Put it into (\S+), run `/.exec(pin) ?? [];
  const [, line = ""] = /run `(.*?)`, and commit that directory/.exec(pin) ?? [];
  await run("bash", ["-ec", `mkdir -p ${into} && cp ${packPackage()} ${into}/${file} && ${line}`], { cwd: mine, env });
  commitAll(mine);
  git(mine, "push", "-q", "origin", "main");
  const { look } = workflowJobs(mine);
  if (look === undefined) throw new Error("there is no job that looks");
  const looked = await runJob(look, { checkout: cloneOf(origin), env, expressions: {} });
  expect(looked.code, looked.output).toBe(0);
  expect(looked.output).toContain('"state":"TICKED"');
});
