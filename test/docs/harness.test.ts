import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { GIT_ENV } from "../support/git.ts";
import { freshRepository } from "../support/git-repository.ts";
import { CLI, runCli } from "../support/run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/harness.md"), "utf8");

/** The one program of that language on the page. */
function programIn(language: string): string {
  const [, program] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(PAGE) ?? [];
  if (program === undefined) throw new Error(`docs/harness.md holds no ${language}`);
  return program;
}

const JOB = "release-notes-01";

/** What an agent does when the work is done: in this repository, which has no remote, a commit is enough. */
const LEAVE_PAGE = `mkdir p && echo "Notes." > p/${JOB}.md && git add p && git -c user.name=a -c user.email=a@b.c commit -qm notes`;

/** A repository with one due job that a tick has woken, and this package installed in it. */
async function wokenRepository(): Promise<string> {
  const cwd = freshRepository();
  mkdirSync(join(cwd, "node_modules/.bin"), { recursive: true });
  symlinkSync(ROOT, join(cwd, "node_modules/harness-wake"));
  symlinkSync(CLI, join(cwd, "node_modules/.bin/harness-wake"));
  const job = ["--owner", "HARBOR", "--harness", "my-harness", "--objective", "Write the notes.", "--within", "2d"];
  await runCli({ cwd }, "create", JOB, ...job);
  await runCli({ cwd }, "--tick");
  return cwd;
}

interface ShownJob {
  readonly status: string;
  readonly tokens_used: number;
  readonly checkpoint: Readonly<Record<string, unknown>>;
  readonly event_receipts: readonly { readonly event: string; readonly detail?: string }[];
}

async function shownJob(cwd: string): Promise<ShownJob> {
  return (await runCli<ShownJob>({ cwd }, "show", JOB)).json;
}

function eventsOf(job: ShownJob): readonly string[] {
  return job.event_receipts.map(({ event }) => event);
}

/** Runs a program of the page with this Node and the installed package; gives its stdout. */
function run(cwd: string, file: string, ...args: readonly string[]): string {
  const path = [join(cwd, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return execFileSync(file, args, { cwd, encoding: "utf8", env: { ...GIT_ENV, PATH: path, HOME: cwd } });
}

function writeAgent(cwd: string, line: string): void {
  const path = join(cwd, "agent");
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

describe("docs/harness.md", () => {
  test("in TypeScript claims, works and finishes; a second run finds nothing to do", async () => {
    const cwd = await wokenRepository();
    writeFileSync(join(cwd, "harness.mts"), programIn("ts"));
    run(cwd, process.execPath, "harness.mts");
    const finished = await shownJob(cwd);
    expect(eventsOf(finished)).toEqual(["wake", "delivery_claim", "checkpoint", "ack"]);
    expect(finished).toMatchObject({ status: "OPEN", tokens_used: 1200, checkpoint: { note: "worked on: Write the notes." } });
    run(cwd, process.execPath, "harness.mts");
    expect(await shownJob(cwd)).toEqual(finished);
  });

  test("in TypeScript makes the job DONE when the model has left its page at git HEAD", async () => {
    const cwd = await wokenRepository();
    writeFileSync(join(cwd, "harness.mts"), programIn("ts"));
    run(cwd, "sh", "-c", LEAVE_PAGE);
    run(cwd, process.execPath, "harness.mts");
    expect(await shownJob(cwd)).toMatchObject({ status: "DONE", tokens_used: 1200 });
  });

  test("in TypeScript compiles against the types that the package ships", async () => {
    const cwd = await wokenRepository();
    writeFileSync(join(cwd, "harness.mts"), programIn("ts"));
    symlinkSync(join(ROOT, "node_modules/@types"), join(cwd, "node_modules/@types"));
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext", "--skipLibCheck", "--types", "node"];
    run(cwd, join(ROOT, "node_modules/.bin/tsc"), ...options, "harness.mts");
  });

  test("in a shell claims, works and finishes; a second run finds nothing to do", async () => {
    const cwd = await wokenRepository();
    writeAgent(cwd, "grep -q 'Write the notes.'");
    writeFileSync(join(cwd, "harness.sh"), programIn("sh"));
    run(cwd, "sh", "harness.sh", JOB);
    const finished = await shownJob(cwd);
    expect(eventsOf(finished)).toEqual(["wake", "delivery_claim", "checkpoint", "ack"]);
    expect(finished).toMatchObject({ status: "OPEN", tokens_used: 1200, checkpoint: { step: 1 } });
    run(cwd, "sh", "harness.sh", JOB);
    expect(await shownJob(cwd)).toEqual(finished);
  });

  test("in a shell makes the job DONE when the agent has left its page at git HEAD", async () => {
    const cwd = await wokenRepository();
    writeAgent(cwd, LEAVE_PAGE);
    writeFileSync(join(cwd, "harness.sh"), programIn("sh"));
    run(cwd, "sh", "harness.sh", JOB);
    expect(await shownJob(cwd)).toMatchObject({ status: "DONE", tokens_used: 1200 });
  });

  test("in a shell ends the agent when the lease is lost, and leaves nothing running", async () => {
    const cwd = await wokenRepository();
    writeAgent(cwd, `harness-wake cancel ${JOB} > cancelled.json; echo $$ > agent.pid; exec sleep 25`);
    writeFileSync(join(cwd, "harness.sh"), programIn("sh").replace("sleep 60", "sleep 1"));
    expect(() => run(cwd, "sh", "harness.sh", JOB)).toThrow("Command failed");
    const agent = Number(readFileSync(join(cwd, "agent.pid"), "utf8"));
    expect(() => process.kill(agent, 0)).toThrow("ESRCH");
    expect(eventsOf(await shownJob(cwd))).toEqual(["wake", "delivery_claim", "cancel"]);
  });

  test("in a shell tells a claim that could not be decided from one with nothing to do", async () => {
    const cwd = await wokenRepository();
    writeFileSync(join(cwd, "harness-wake.json"), "{");
    writeFileSync(join(cwd, "harness.sh"), programIn("sh"));
    expect(() => run(cwd, "sh", "harness.sh", JOB)).toThrow("Command failed");
  });

  test("in a shell gives the attempt up when the agent fails", async () => {
    const cwd = await wokenRepository();
    writeAgent(cwd, "exit 7");
    writeFileSync(join(cwd, "harness.sh"), programIn("sh"));
    run(cwd, "sh", "harness.sh", JOB);
    const failed = await shownJob(cwd);
    expect(eventsOf(failed)).toEqual(["wake", "delivery_claim", "failed"]);
    expect(failed.event_receipts.at(-1)?.detail).toBe("the agent exited with 7");
  });
});
