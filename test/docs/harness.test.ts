import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { GIT_ENV, git } from "../support/git.ts";
import { freshRepository } from "../support/git-repository.ts";
import { NewUser } from "../support/new-user.ts";
import { walkOn } from "../support/page-walk.ts";
import { CLI, runCli } from "../support/run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/harness.md"), "utf8");

/** The program below a heading of the page. */
function programUnder(heading: "In TypeScript" | "In a shell"): string {
  const [, program] = new RegExp(`\n## ${heading}\n\n\`\`\`\\w+\n([\\s\\S]*?)\`\`\``).exec(PAGE) ?? [];
  if (program === undefined) throw new Error(`docs/harness.md has no program ${heading}`);
  return program;
}

const JOB = "release-notes-01";

/** What an agent does when the work is done: in this repository, which has no remote, a commit is enough. */
const LEAVE_PAGE = `mkdir -p p && echo "Notes." > p/${JOB}.md && git add p && git -c user.name=a -c user.email=a@b.c commit -qm notes`;

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
  test("without a program of one's own takes a job to DONE", async () => {
    await using user = await NewUser.arrive();
    const setUp = [
      "npm install --silent --save-dev ./harness-wake-*.tgz",
      "echo 'Write the notes.' > notes.txt",
      `cat > agent.sh <<'END'\ngrep -q 'Write the notes.' && ${LEAVE_PAGE} && git push -q origin HEAD:main\nEND`,
    ];
    const [walk] = walkOn("docs/harness.md");
    const { outputs, code } = await user.paste([`${setUp.join("\n")}\n`, walk?.commands ?? ""]);
    expect(outputs.at(-1)).toContain(`${JOB}-a01: DONE\n1 claimed, 1 finished, 0 failed, 0 kept\n`);
    expect(code).toBe(0);
    expect(git(user.remote, "show", `main:p/${JOB}.md`)).toBe("Notes.");
  });

  test("in TypeScript claims, works and finishes; a second run finds nothing to do", async () => {
    const cwd = await wokenRepository();
    writeFileSync(join(cwd, "harness.mts"), programUnder("In TypeScript"));
    run(cwd, process.execPath, "harness.mts");
    const finished = await shownJob(cwd);
    expect(eventsOf(finished)).toEqual(["wake", "delivery_claim", "checkpoint", "ack"]);
    expect(finished).toMatchObject({ status: "OPEN", tokens_used: 1200, checkpoint: { note: "worked on: Write the notes." } });
    run(cwd, process.execPath, "harness.mts");
    expect(await shownJob(cwd)).toEqual(finished);
  });

  test("in TypeScript makes the job DONE when the model has left its page at git HEAD", async () => {
    const cwd = await wokenRepository();
    writeFileSync(join(cwd, "harness.mts"), programUnder("In TypeScript"));
    run(cwd, "sh", "-c", LEAVE_PAGE);
    run(cwd, process.execPath, "harness.mts");
    expect(await shownJob(cwd)).toMatchObject({ status: "DONE", tokens_used: 1200 });
  });

  test("in TypeScript compiles against the types that the package ships", async () => {
    const cwd = await wokenRepository();
    writeFileSync(join(cwd, "harness.mts"), programUnder("In TypeScript"));
    symlinkSync(join(ROOT, "node_modules/@types"), join(cwd, "node_modules/@types"));
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext", "--skipLibCheck", "--types", "node"];
    run(cwd, join(ROOT, "node_modules/.bin/tsc"), ...options, "harness.mts");
  });

  test("in a shell claims, works and finishes; a second run finds nothing to do", async () => {
    const cwd = await wokenRepository();
    writeAgent(cwd, "grep -q 'Write the notes.'");
    writeFileSync(join(cwd, "harness.sh"), programUnder("In a shell"));
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
    writeFileSync(join(cwd, "harness.sh"), programUnder("In a shell"));
    run(cwd, "sh", "harness.sh", JOB);
    expect(await shownJob(cwd)).toMatchObject({ status: "DONE", tokens_used: 1200 });
  });

  test("in a shell ends the agent when the lease is lost, and leaves nothing running", async () => {
    const cwd = await wokenRepository();
    writeAgent(cwd, `harness-wake cancel ${JOB} > cancelled.json; echo $$ > agent.pid; exec sleep 25`);
    writeFileSync(join(cwd, "harness.sh"), programUnder("In a shell").replace("sleep 60", "sleep 1"));
    expect(() => run(cwd, "sh", "harness.sh", JOB)).toThrow("Command failed");
    const agent = Number(readFileSync(join(cwd, "agent.pid"), "utf8"));
    expect(() => process.kill(agent, 0)).toThrow("ESRCH");
    expect(eventsOf(await shownJob(cwd))).toEqual(["wake", "delivery_claim", "cancel"]);
  });

  test("in a shell tells a claim that could not be decided from one with nothing to do", async () => {
    const cwd = await wokenRepository();
    writeFileSync(join(cwd, "harness-wake.json"), "{");
    writeFileSync(join(cwd, "harness.sh"), programUnder("In a shell"));
    expect(() => run(cwd, "sh", "harness.sh", JOB)).toThrow("Command failed");
  });

  test("in a shell gives the attempt up when the agent fails", async () => {
    const cwd = await wokenRepository();
    writeAgent(cwd, "exit 7");
    writeFileSync(join(cwd, "harness.sh"), programUnder("In a shell"));
    run(cwd, "sh", "harness.sh", JOB);
    const failed = await shownJob(cwd);
    expect(eventsOf(failed)).toEqual(["wake", "delivery_claim", "failed"]);
    expect(failed.event_receipts.at(-1)?.detail).toBe("the agent exited with 7");
  });
});
