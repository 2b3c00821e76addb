import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import { binOf, WORKERS_KEY } from "../support/agent-world.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { startModelServer } from "../support/model-server.ts";
import { forAgent, type ModelAnswer, say, shell, USAGE } from "../support/model-server-answer.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const COUNTED = USAGE.input + USAGE.output + USAGE.cacheWrite;
const JOB = "nightly-report-0001";

const enclosure = await findEnclosure({ choice: "auto", env: process.env });

const agents = [
  { name: "claude-code", installed: inject("claudeCode") },
  { name: "codex", installed: inject("codex") },
] as const;

interface ShownJob {
  readonly status: string;
  readonly tokens_used: number;
  readonly checkpoint: { readonly step?: number; readonly session?: { readonly agent: string; readonly id: string } };
  readonly event_receipts: readonly { readonly event: string; readonly detail?: string }[];
}

/** A fleet with one job, a worker with a key, and a model that is one of ours. */
async function openWorld(name: string, command: string) {
  const server = await startModelServer();
  const { directory } = fleetWithRemote({});
  const home = tempDirectory();
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Agent\n\temail = agent@example.invalid\n");
  // Codex' own sandbox, where there is no bubblewrap, does not work below /tmp.
  const state = mkdtempSync("/var/tmp/harness-wake-");
  onTestFinished(async () => {
    rmSync(state, { recursive: true, force: true });
    await server.down();
  });
  const env = {
    PATH: [binOf(command), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    ANTHROPIC_API_KEY: WORKERS_KEY,
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: WORKERS_KEY,
    OPENAI_BASE_URL: `${server.url}/v1`,
  };
  const wake = (...args: readonly string[]) => runCli({ cwd: directory, env }, ...args);
  const instructions = join(home, "instructions.md");
  writeFileSync(instructions, "The word is heather. Write it down.\n");
  const about = ["--owner", "HARBOR", "--harness", name, "--objective", "Write the nightly report", "--within", "2d"];
  const made = await wake("create", JOB, ...about, "--instructions", instructions, "--budget-tokens", "1000000");
  expect(made).toMatchObject({ code: 0 });
  return {
    server,
    places: [state, home, directory],
    wake,
    async attempt(answers: readonly ModelAnswer[]) {
      server.script = forAgent(...answers);
      expect(await wake("--tick")).toMatchObject({ code: 0 });
      return wake("work", "--harness", name, "--agent", name, "--once", "--state-dir", state);
    },
    async show(): Promise<ShownJob> {
      const { json } = await runCli<ShownJob & { readonly job?: ShownJob }>({ cwd: directory, env }, "show", JOB, "--json");
      return json.job ?? json;
    },
  };
}

describe.each(agents)("work --agent $name", ({ name, installed }) => {
  const canTry = test.skipIf("missing" in installed || (name === "claude-code" && enclosure.userIdInside === 0));

  function open() {
    if ("missing" in installed) throw new Error(installed.missing);
    return openWorld(name, installed.command);
  }

  canTry("ends at the first answer past a budget of 1,000, with its tokens noted", async () => {
    const world = await open();
    expect(await world.wake("update", JOB, "--budget-tokens", "1000")).toMatchObject({ code: 0 });
    await world.attempt([shell("echo more")]);
    expect(world.server.asked).toHaveLength(1);
    const job = await world.show();
    expect(job).toMatchObject({ tokens_used: COUNTED });
    expect(job.event_receipts.at(-1)).toMatchObject({ event: "failed", detail: expect.stringContaining("(budget)") });
  });

  canTry("holds the key in no environment, argument or file that an agent's tools can see", async ({ skip }) => {
    skip(enclosure.kind !== "bwrap" && enclosure.kind !== "unshare");
    const world = await open();
    const look = "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; ls /proc | grep -c '^[0-9]'";
    await world.attempt([shell(look), say("seen")]);
    const seen = world.server.asked.map(({ body }) => body).join("\n");
    for (const place of world.places) {
      expect(() => execFileSync("grep", ["-rqaF", WORKERS_KEY, place])).toThrow(expect.objectContaining({ status: 1 }));
    }
    expect(seen).toContain("HARNESS_WAKE_OUTCOME_FILE");
    expect(seen).not.toContain(WORKERS_KEY);
  });
});
