import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import type { Job } from "../../src/job/job.ts";
import { binOf, WORKERS_KEY } from "../support/agent-world.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { git } from "../support/git.ts";
import { startModelServer } from "../support/model-server.ts";
import { forAgent, type ModelAnswer, say, shell } from "../support/model-server-answer.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { WorkingCli } from "../support/working-cli.ts";

const JOB = "nightly-report-01";
const PAGE = `mkdir -p p && echo "All quiet." > p/${JOB}.md && git add p && git commit -q -m page && git push -q origin HEAD:main`;

/** Where nothing makes another user of root, Claude Code refuses to work. */
const isRootInside = (await findEnclosure({ choice: "auto", env: process.env })).userIdInside === 0;

const agents = [
  { name: "claude-code", installed: inject("claudeCode"), drafted: call({ checkpoint: { drafted: true } }) },
  { name: "codex", installed: inject("codex"), drafted: say(codexOutcome({ checkpoint: '{"drafted": true}' })) },
] as const;

function call(input: object): ModelAnswer {
  return { kind: "answer", turn: { kind: "call", tool: "StructuredOutput", input } };
}

function codexOutcome(fields: object): string {
  const nothing = {
    checkpoint: null,
    next_wake_at: null,
    in: null,
    result: null,
    result_address: null,
    blocker: null,
    fail: null,
  };
  return JSON.stringify({ ...nothing, ...fields });
}

describe.each(agents)("work --agent $name", ({ name, installed, drafted }) => {
  const tried = test.skipIf("missing" in installed || (name === "claude-code" && isRootInside));

  tried(
    "takes a job from create to a pushed page and DONE, in two attempts with one session, and its key is nowhere",
    async () => {
      if ("missing" in installed) throw new Error(installed.missing);
      const server = await startModelServer();
      onTestFinished(() => server.down());
      const { directory, remote } = fleetWithRemote({ store: "git" });
      const home = tempDirectory();
      writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Agent\n\temail = agent@example.invalid\n");
      // Codex runs nothing in a home below /tmp.
      const state = mkdtempSync("/var/tmp/harness-wake-work-");
      onTestFinished(() => rmSync(state, { recursive: true, force: true }));
      const env = {
        PATH: [binOf(installed.command), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
        HOME: home,
        ANTHROPIC_API_KEY: WORKERS_KEY,
        ANTHROPIC_BASE_URL: server.url,
        OPENAI_API_KEY: WORKERS_KEY,
        OPENAI_BASE_URL: `${server.url}/v1`,
      };
      const cli = (...args: readonly string[]) => runCli({ cwd: directory }, ...args);
      const work = async (...answers: readonly ModelAnswer[]): Promise<string> => {
        server.script = forAgent(...answers);
        await cli("--tick", "--land");
        await using worker = new WorkingCli(directory, env, "--harness", name, "--agent", name, "--once", "--state-dir", state);
        expect(await worker.over()).toBe(0);
        return JSON.stringify(worker.said);
      };

      const told = ["--owner", "HARBOR", "--harness", name, "--objective", "Write the report", "--within", "2d"];
      await cli("create", JOB, ...told);
      const first = await work(shell("echo looked around"), drafted);
      expect(first).toContain('"state":"CHECKPOINT"');
      const before: Job = JSON.parse((await cli("show", JOB)).stdout);
      expect(before).toMatchObject({ status: "OPEN", checkpoint: { drafted: true, session: { agent: name } } });

      const second = await work(shell(PAGE), name === "codex" ? say(codexOutcome({})) : call({}));
      expect(second).toContain('"state":"DONE"');
      const after: Job = JSON.parse((await cli("show", JOB)).stdout);
      expect(after).toMatchObject({ status: "DONE", attempt_count: 2 });
      expect(after.tokens_used).toBeGreaterThan(before.tokens_used);
      expect(after.checkpoint["session"]).toMatchObject({ id: (before.checkpoint["session"] as { readonly id: string }).id });
      expect(git(remote, "show", `main:p/${JOB}.md`)).toBe("All quiet.");
      expect(server.asked.length).toBeGreaterThan(2);
      for (const words of [first, second, JSON.stringify(after)]) expect(words).not.toContain(WORKERS_KEY);
      expect(readFileSync(join(directory, "harness-wake.json"), "utf8")).not.toContain(WORKERS_KEY);
    },
  );
});
