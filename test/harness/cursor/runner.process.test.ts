import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { appDirectory } from "../../../src/harness/cursor/app.ts";
import { cursor } from "../../../src/harness/cursor/cursor.ts";
import { findPackageFiles } from "../../../src/harness/cursor/package-files.ts";
import type { HarnessEvent, HeldAdapter, RunRequest, RunResult } from "../../../src/harness/harness.ts";
import { cursorHost, PLANTED_KEY } from "../../support/cursor-host.ts";
import { git } from "../../support/git.ts";
import { installStub, type StubAct } from "../../support/stub-cursor-app.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { filesThatHold } from "../../support/where-a-secret-is.ts";
import { worktreeFleet } from "../../support/worktree-fleet.ts";

interface Ran {
  readonly result: RunResult | HeldAdapter;
  readonly events: readonly HarnessEvent[];
  readonly remote: string;
  readonly scratch: string;
  /** What the stub saw: its environment, and what its calls were answered. */
  readonly seen: { readonly variables: readonly string[]; readonly answers: readonly { readonly isError: boolean }[] };
}

interface Given extends Partial<RunRequest> {
  readonly version?: string;
  readonly abort?: boolean;
}

/** A run of the stub in the process, the enclosure and the worktree that a worker gives it. Undefined without bubblewrap. */
async function run(acts: readonly StubAct[], { version, abort = false, ...request }: Given = {}): Promise<Ran | undefined> {
  const host = await cursorHost({ env: { HOST_SECRET: PLANTED_KEY, CURSOR_BACKEND_URL: "http://127.0.0.1:9" } });
  if (host.enclosure.kind !== "bwrap") return undefined;
  installStub(appDirectory(host, findPackageFiles()), acts, version);
  const fleet = await worktreeFleet();
  const workspace = await fleet.open();
  onTestFinished(() => void workspace.close());
  const scratch = join(host.stateDirectory, "scratch");
  mkdirSync(scratch);
  const events: HarnessEvent[] = [];
  const aborting = new AbortController();
  const result = await cursor({ model: { id: "composer-2.5" } })
    .on(host)
    .run(
      {
        prompt: "You are ours.",
        message: "Do it.",
        directory: workspace.directory,
        mounts: workspace.mounts,
        scratch,
        authority: "read_write",
        limits: { turnsMax: 20, timeMsMax: 60_000, rejectionsMax: 2 },
        schema: { type: "object" },
        tokensMax: 1_000,
        ...request,
      },
      {
        emit: (event) => {
          events.push(event);
          if (abort && event.event === "tool-call") aborting.abort();
        },
        abortSignal: aborting.signal,
      },
    );
  const read = (): Ran["seen"] => JSON.parse(readFileSync(join(scratch, "seen.json"), "utf8"));
  return {
    result,
    events,
    remote: fleet.remote,
    scratch,
    get seen() {
      return read();
    },
  };
}

const SUBMIT: StubAct = { call: "submit", args: { done: true } };

function shell(command: string): StubAct {
  return { call: "shell", args: { command } };
}

describe("a run in its process", () => {
  test("works on the worktree with the real tools, commits, pushes and submits", async ({ skip }) => {
    const ran = await run([
      { call: "read", args: { path: "README.md" } },
      { call: "write", args: { path: "p/page.md", content: "All quiet.\n" } },
      shell("git add p && git commit -q -m Page && git push -q origin HEAD:main"),
      SUBMIT,
    ]);
    if (ran === undefined) return skip();
    expect(ran.result).toEqual({ outcome: "submitted", output: { done: true }, usage: {}, turns: 4, detail: "it submitted" });
    expect(ran.seen.answers.map(({ isError }) => isError)).toEqual([false, false, false, false]);
    expect(git(ran.remote, "show", "main:p/page.md")).toBe("All quiet.");
    expect(ran.events.at(-1)).toMatchObject({ event: "finish", outcome: "submitted" });
  });

  test("a read-only agent reads, and is refused a push and every write", async ({ skip }) => {
    const ran = await run(
      [shell("git log --oneline"), shell("git push origin HEAD:main"), shell("touch x"), { call: "submit", args: {} }],
      { authority: "read_only" },
    );
    if (ran === undefined) return skip();
    expect(ran.result).toMatchObject({ outcome: "submitted" });
    expect(ran.seen.answers.map(({ isError }) => isError)).toEqual([false, true, true, false]);
  });

  test("nothing of the host's environment reaches the SDK, and the key neither the shell nor a file", async ({ skip }) => {
    const look = "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; ls $HOME; echo end";
    const ran = await run([shell(look), shell("ls ../../scratch/sdk; cat $HOME/../sdk/* 2>&1; touch $HOME/../sdk/x"), SUBMIT]);
    if (ran === undefined) return skip();
    expect(ran.seen.variables).not.toContain("HOST_SECRET");
    expect(ran.seen.variables.filter((name) => /cursor|npm/i.test(name))).toEqual([]);
    expect(JSON.stringify(ran.seen.answers[0])).toContain("end");
    expect(JSON.stringify(ran.seen)).not.toContain(PLANTED_KEY);
    expect(ran.seen.answers[1]?.isError).toBe(true);
    expect(filesThatHold(PLANTED_KEY, ran.scratch)).toEqual([]);
  });

  test("what the SDK writes to standard output is neither taken for the runner's word, nor told with the key in it", async ({
    skip,
  }) => {
    const ran = await run([{ babble: true }, { hang: true }], { limits: { turnsMax: 1, timeMsMax: 3_000, rejectionsMax: 1 } });
    if (ran === undefined) return skip();
    expect(ran.result).toMatchObject({ outcome: "time" });
    expect(JSON.stringify(ran)).not.toContain(PLANTED_KEY);
  });

  test("is cancelled when it is told to end, and takes what its shell runs with it", async ({ skip }) => {
    const ran = await run([shell("while :; do sleep 1; done"), SUBMIT], { abort: true });
    if (ran === undefined) return skip();
    expect(ran.result).toMatchObject({ outcome: "cancelled" });
  });

  test("another SDK than the pinned one is not run", async ({ skip }) => {
    const ran = await run([SUBMIT], { version: "1.0.32" });
    if (ran === undefined) return skip();
    expect(ran.result).toMatchObject({ outcome: "failed", detail: expect.stringContaining("is 1.0.32, and not 1.0.31") });
  });

  test("a workspace that is not there is refused, which the SDK would not do", async ({ skip }) => {
    const ran = await run([SUBMIT], { directory: join(tempDirectory(), "gone") });
    if (ran === undefined) return skip();
    expect(ran.result).toMatchObject({ outcome: "failed" });
  });
});
