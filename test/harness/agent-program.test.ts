import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type AgentProgramOptions, agentProgramFor } from "../../src/harness/agent-program.ts";
import { claudeCode } from "../../src/harness/agents/claude-code.ts";
import { codex } from "../../src/harness/agents/codex.ts";
import type { RunEnd } from "../../src/harness/enclosure/run-enclosed.ts";
import type { GatewayRun } from "../../src/harness/gateway/gateway.ts";
import { NO_TOKENS } from "../../src/harness/gateway/tokens.ts";
import { removeOldHomes } from "../../src/harness/old-homes.ts";
import type { GivenAttempt } from "../../src/harness/program.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ID = "01a22ee1-8ff8-73b0-ab04-cc3da559fb58";
const WELL: RunEnd = { state: "ended", exit_code: 0, signal: null };
const usage = { ...NO_TOKENS, counted: 77, calls: 1, uncountedAnswers: 0, refusal: null, lastError: null };

/** A gateway of which nothing is asked but what it counted. */
function countingGateway(more: Partial<typeof usage> | object = {}) {
  const ended: string[] = [];
  const startRun = (): GatewayRun => ({
    baseUrl: "http://127.0.0.1:1",
    token: "the-token-of-this-run",
    usage: () => ({ ...usage, ...more }),
    end: async () => {
      ended.push("ended");
      return usage;
    },
  });
  return { gateway: { startRun }, key: { variable: "OPENAI_API_KEY", scheme: "bearer" } as const, ended };
}

function setUp(more: Partial<AgentProgramOptions> = {}, checkpoint: GivenAttempt["checkpoint"] = {}) {
  const state = tempDirectory();
  const programPath = join(state, "codex");
  writeFileSync(programPath, "");
  const options: AgentProgramOptions = {
    agent: codex,
    programPath,
    gateway: countingGateway(),
    enclosure: { kind: "bwrap", userIdInside: 1000 },
    homesDirectory: join(state, "homes"),
    userHome: join(state, "user"),
    model: undefined,
    maxTurns: undefined,
    budgetUsd: undefined,
    ...more,
  };
  const attempt: GivenAttempt = {
    job_id: "fix-it-01",
    attempt_id: "fix-it-01-a01",
    objective: "Fix it",
    checkpoint,
    step: 1,
    deadline: "2099-01-01T00:00:00Z",
    tokens_left: 1_000,
    prompt: "do it",
    promptFile: join(state, "prompt.md"),
    checkpointFile: join(state, "checkpoint.json"),
    outcomeFile: join(state, "outcome.json"),
    directory: state,
    writable: [],
    timeLimitMs: 1,
    env: { PATH: "/bin", PASSED_TOKEN: "named-by-the-owner" },
  };
  return { options, attempt, programFor: agentProgramFor(options), state };
}

function keepSession(homes: string, id = ID): void {
  const file = join(homes, "fix-it-01/sessions/2026/11/30", `rollout-1-${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
}

test("a run gets a home for its job alone, the files that it was promised, and no key", async () => {
  const { programFor, attempt, options } = setUp();
  const program = await programFor(attempt);
  const home = join(options.homesDirectory, "fix-it-01");
  expect(program.env).toMatchObject({ PATH: "/bin", CODEX_HOME: home, HARNESS_WAKE_GATEWAY_TOKEN: "the-token-of-this-run" });
  expect(program.mounts[0]).toEqual({ path: home, access: "write" });
  const schema = program.argv[program.argv.indexOf("--output-schema") + 1] ?? "";
  expect(JSON.parse(readFileSync(schema, "utf8"))).toHaveProperty("properties.checkpoint");
  expect(program.secrets).toEqual(expect.arrayContaining(["the-token-of-this-run", "named-by-the-owner"]));
});

test("its tokens are what the gateway counted, whatever it says itself", async () => {
  const { programFor, attempt } = setUp();
  const program = await programFor(attempt);
  program.onStdout(Buffer.from(`{"type":"thread.started","thread_id":"${ID}"}\n`));
  program.onStdout(Buffer.from('{"type":"turn.completed","usage":{"input_tokens":9999,"output_tokens":1}}\n'));
  expect(program.usage()).toEqual({ tokensUsed: 77 });
  expect(program.conclude(WELL, "")).toMatchObject({ kind: "nothing_left", checkpoint: { step: 1, session: { id: ID } } });
});

test("why the gateway ended it is told, not what it made of that", async () => {
  const refusal = { kind: "budget", message: "the token budget is used up" } as const;
  const { programFor, attempt } = setUp({ gateway: countingGateway({ refusal }) });
  const program = await programFor(attempt);
  program.onStdout(Buffer.from('{"type":"turn.failed","error":{"message":"something else"}}\n'));
  expect(program.conclude({ ...WELL, exit_code: 1 }, "")).toMatchObject({
    detail: expect.stringMatching(/^codex failed \(budget\)/),
  });
});

test("a session is gone on in where it is there, by one run at a time", async () => {
  const { programFor, attempt, options } = setUp({}, { session: { agent: "codex", id: ID } });
  const resumes = async (): Promise<boolean> => (await programFor(attempt)).argv.includes("resume");
  expect(await resumes()).toBe(false);
  keepSession(options.homesDirectory);
  const first = await programFor(attempt);
  expect(first.argv).toContain("resume");
  expect(await resumes()).toBe(false);
  await first.close();
  expect(await resumes()).toBe(true);
});

test("one that the agent does not know is asked for once", async () => {
  const { programFor, attempt, options } = setUp({}, { session: { agent: "codex", id: ID } });
  keepSession(options.homesDirectory);
  const first = await programFor(attempt);
  expect(first.conclude({ ...WELL, exit_code: 1 }, `no rollout found for thread id ${ID}`)).toMatchObject({ kind: "failed" });
  await first.close();
  expect((await programFor(attempt)).argv).not.toContain("resume");
});

test("without a gateway it is at home where its user is, and nothing else is counted than what it says", async () => {
  const { programFor, attempt, options } = setUp({ gateway: undefined });
  const program = await programFor(attempt);
  expect(program.mounts[0]).toEqual({ path: join(options.userHome, ".codex"), access: "write" });
  expect(program.usage()).toEqual({});
});

test("an agent that cannot run so leaves no run at the gateway", async () => {
  const gateway = countingGateway();
  const { programFor, attempt } = setUp({ agent: claudeCode, gateway, enclosure: { kind: "marks", userIdInside: 0 } });
  await expect(programFor(attempt)).rejects.toMatchObject({ code: "CONFIG" });
  expect(gateway.ended).toEqual(["ended"]);
});

test("a program below /tmp, which a run does not see, is shown to it", async () => {
  const { programFor, attempt, options } = setUp();
  const program = await programFor(attempt);
  const top = /^\/tmp\/[^/]+/.exec(options.programPath)?.[0];
  expect(program.mounts.slice(1)).toEqual(top === undefined ? [] : [{ path: top, access: "read" }]);
});

test("a home that no run used for a month is removed", () => {
  const homes = tempDirectory();
  const now = 1_800_000_000;
  for (const [name, days] of [
    ["used", 29],
    ["unused", 31],
  ] as const) {
    mkdirSync(join(homes, name, "sessions"), { recursive: true });
    for (const place of [join(homes, name, "sessions"), join(homes, name)]) utimesSync(place, now, now - days * 86_400);
  }
  removeOldHomes(homes, now);
  expect(readdirSync(homes)).toEqual(["used"]);
  removeOldHomes(join(homes, "nothing-here"), now);
});
