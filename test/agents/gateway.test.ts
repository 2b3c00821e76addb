import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { type AgentLine, claudeCodeLine, codexLine, startAgent } from "../support/agent-run.ts";
import { gatewayUnderTest, REAL_KEY } from "../support/gateway-under-test.ts";
import { forAgent, type ModelAnswer, type ModelFault, say, shell, status, USAGE } from "../support/model-server-answer.ts";

const COUNTED = USAGE.input + USAGE.output + USAGE.cacheWrite;

/** So that a run ends before the test's time does; agents begin to try again after a fifth to half of a second. */
const PATIENCE_MS = 1_000;

const agents = [
  {
    name: "Claude Code",
    agent: inject("claudeCode"),
    line: claudeCodeLine,
    scheme: "x-api-key",
    header: "x-api-key",
    proof: REAL_KEY,
  },
  {
    name: "Codex",
    agent: inject("codex"),
    line: codexLine,
    scheme: "bearer",
    header: "authorization",
    proof: `Bearer ${REAL_KEY}`,
  },
] as const;

describe.each(agents)("$name", ({ agent, line, scheme, header, proof }) => {
  /** The agent before a gateway before this model. */
  async function start(
    answers: readonly (ModelAnswer | ModelFault)[],
    more: { budgetTokens?: number; change?: (line: AgentLine) => AgentLine } = {},
  ) {
    if ("missing" in agent) throw new Error(agent.missing);
    const { server, startRun, gateway } = await gatewayUnderTest([], {
      clock: systemClock,
      patienceMs: PATIENCE_MS,
      upstream: { scheme },
    });
    server.script = forAgent(...answers);
    const run = startRun({ budgetTokens: more.budgetTokens ?? 1_000_000 });
    const asked = line(run.baseUrl, run.token);
    return { server, gateway, run, started: startAgent(agent.command, more.change?.(asked) ?? asked) };
  }

  const canTry = test.skipIf("missing" in agent);

  canTry("works through the gateway, which alone proves itself to the API", async () => {
    const { server, run, started } = await start([shell("echo through the gateway > note.txt"), say("all is done")]);
    const { code, stdout } = await started.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("all is done") });
    expect(readFileSync(join(started.cwd, "note.txt"), "utf8")).toBe("through the gateway\n");
    expect(server.asked.map((asked) => asked.headers[header])).toEqual(server.asked.map(() => proof));
    expect(JSON.stringify(server.asked.map((asked) => asked.headers))).not.toContain(run.token);
    expect(run.usage()).toMatchObject({
      counted: server.asked.length * COUNTED,
      calls: server.asked.length,
      uncountedAnswers: 0,
      refusal: null,
      lastError: null,
    });
  });

  canTry("holds the key nowhere: not in an environment, an argument or a file", async () => {
    const look = "env; cat /proc/self/environ /proc/$PPID/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'";
    const { server, run, started } = await start([shell(look), say("seen")]);
    const { stdout } = await started.ended;
    // What its tools saw goes to the model.
    const seen = server.asked.map(({ body }) => body).join("\n");
    expect(seen).toContain(run.token);
    expect(seen + stdout).not.toContain(REAL_KEY);
    for (const directory of [started.home, started.cwd]) {
      expect(() => execFileSync("grep", ["-rqaF", REAL_KEY, directory])).toThrow(expect.objectContaining({ status: 1 }));
    }
  });

  canTry("ends at the first answer past its budget, and says why", async () => {
    const { server, run, started } = await start([shell("echo more")], { budgetTokens: 3 * COUNTED - 1 });
    const { code, stdout } = await started.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("harness-wake: the token budget is used up") });
    expect(server.asked).toHaveLength(3);
    expect(run.usage()).toMatchObject({ counted: 3 * COUNTED, calls: 3, lastError: "budget" });
  });

  canTry.each<[string, ModelFault, string, string]>([
    ["refuses the key", status(401, { code: "authentication_error" }), "auth", "refused the worker's key"],
    ["has no money for it", status(429, { code: "insufficient_quota" }), "auth", "refused the worker's key, or its account"],
    ["asks to wait an hour", status(429, { headers: { "retry-after": "3600" } }), "rate_limit", "asks to wait 3600 s"],
    ["has moved", { kind: "redirect", to: "http://127.0.0.1:9/" }, "network", "answers with a redirect"],
  ])("ends after one request when the API %s", async (_, fault, kind, words) => {
    const { server, run, started } = await start([fault]);
    const { code, stdout } = await started.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(words) });
    expect(server.asked).toHaveLength(1);
    expect(run.usage()).toMatchObject({ lastError: kind, refusal: { kind } });
  });

  canTry.each<[string, ModelFault | ModelAnswer, string]>([
    ["answers 500", status(500, { code: "api_error" }), "server"],
    ["answers 529", status(529, { code: "overloaded_error" }), "server"],
    ["drops connections", { kind: "reset" }, "network"],
    ["breaks its answers off", say("half", { after: { events: 0, next: "cut" } }), "network"],
  ])("ends when the API %s for too long", async (_, fault, kind) => {
    const { run, started } = await start([fault]);
    const { code, stdout } = await started.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("harness-wake: the API has failed for") });
    expect(run.usage()).toMatchObject({ lastError: kind, refusal: { kind } });
  });

  canTry("ends when the API limits its rate", async () => {
    const { run, started } = await start([status(429, { code: "rate_limit_error" })]);
    expect((await started.ended).code).toBe(1);
    expect(run.usage().lastError).toBe("rate_limit");
  });

  canTry("ends when the API is down", async () => {
    const down = await gatewayUnderTest();
    await down.server.down();
    if ("missing" in agent) throw new Error(agent.missing);
    const { startRun } = await gatewayUnderTest([], {
      clock: systemClock,
      patienceMs: PATIENCE_MS,
      upstream: { scheme, url: down.server.url },
    });
    const run = startRun();
    const { code, stdout } = await startAgent(agent.command, line(run.baseUrl, run.token)).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("(ECONNREFUSED)") });
    expect(run.usage().lastError).toBe("network");
  });

  canTry("goes on after a failure that passes", async () => {
    const { run, started } = await start([
      status(529, { code: "overloaded_error" }),
      say("half", { after: { events: 2, next: "cut" } }),
      shell("echo on > note.txt"),
      say("all is done"),
    ]);
    const { code, stdout } = await started.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("all is done") });
    expect(run.usage()).toMatchObject({ lastError: null, refusal: null });
  });

  canTry("ends at once with the token of a run that is over", async () => {
    const { server, run, started } = await start([say("never")], {
      change: (asked) => ({
        ...asked,
        env: { ...asked.env, ANTHROPIC_API_KEY: "of-another-run", GATEWAY_TOKEN: "of-another-run" },
      }),
    });
    const { code, stdout } = await started.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("the run of this token is over") });
    expect(server.asked).toEqual([]);
    expect(run.usage().calls).toBe(0);
  });

  canTry("that is killed in the middle of an answer has all of it counted", async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const { server, run, started } = await start([say("a long answer", { after: { events: 3, next: gate } })]);
    await server.until(() => server.asked.length === 1);
    await expect.poll(() => server.eventsSent).toBe(3);
    started.child.kill("SIGKILL");
    await started.ended;
    const used = run.end();
    release();
    expect(await used).toMatchObject({ counted: COUNTED, uncountedAnswers: 0 });
  });
});
