import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { cursor } from "../../src/harness/cursor/cursor.ts";
import type { AgentRequest } from "../../src/harness/cursor/run-agent.ts";
import type { RunResult } from "../../src/harness/harness.ts";
import { startCursorBackend } from "../support/cursor-backend.ts";
import { cursorHost, PLANTED_KEY } from "../support/cursor-host.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { filesThatHold, processesThatHold } from "../support/where-a-secret-is.ts";

const PROGRAM = fileURLToPath(new URL("../support/cursor-sdk-process.ts", import.meta.url));

/** Where the real SDK is installed. */
let app: string;
beforeAll(async () => {
  const host = await cursorHost({ stateDirectory: tempDirectory() });
  const provisioned = await cursor({ model: { id: "composer-2.5" } })
    .on(host)
    .provision();
  if (!("directory" in provisioned)) throw new Error(provisioned.message);
  app = provisioned.directory;
});

interface SdkRun {
  readonly home: string;
  readonly ended: Promise<{
    readonly result: RunResult;
    readonly stdout: string;
    readonly stderr: string;
    readonly tookMs: number;
  }>;
}

/** The real SDK with a key that opens nothing, before this backend. */
function start(backendUrl: string, given: Partial<AgentRequest> = {}): SdkRun {
  const home = tempDirectory();
  const request: AgentRequest = {
    model: "composer-2.5",
    apiKey: PLANTED_KEY,
    message: "Say nothing.",
    directory: home,
    store: join(home, "store"),
    limits: { turnsMax: 3, timeMsMax: 60_000, rejectionsMax: 1 },
    schema: { type: "object" },
    tokensMax: 1_000,
    ...given,
  };
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, CURSOR_BACKEND_URL: backendUrl },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(JSON.stringify({ app, request }));
  const ended = async (): Promise<Awaited<SdkRun["ended"]>> => {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    return { result: JSON.parse(stdout), stdout, stderr, tookMs: performance.now() - startedAtMs };
  };
  return { home, ended: ended() };
}

/** The SDK itself lingers for up to a minute after its end; a busy machine is slow. */
const SOON_MS = 45_000;

describe("the real SDK", () => {
  test("says of a backend that cannot be reached that there is no network", async () => {
    const { result, tookMs } = await start("http://127.0.0.1:9").ended;
    expect(result).toMatchObject({
      outcome: "failed",
      detail: expect.stringMatching(/^cursor failed \(network\).*NetworkError/),
    });
    expect(tookMs).toBeLessThan(SOON_MS);
  });

  test("says of a key that is refused that it is", async () => {
    const backend = await startCursorBackend("refuses_the_key");
    const { result, tookMs, stderr } = await start(backend.url).ended;
    expect(result).toMatchObject({
      outcome: "failed",
      detail: expect.stringMatching(/^cursor failed \(auth\).*AuthenticationError/),
    });
    expect(tookMs).toBeLessThan(SOON_MS);
    expect(stderr).not.toContain(PLANTED_KEY);
    expect(backend.asked).toContain("GET /v1/models");
  });

  test("says of no key, which it finds out late, that it is refused", async () => {
    const backend = await startCursorBackend("refuses_the_key");
    const { result, tookMs } = await start(backend.url, { apiKey: "" }).ended;
    expect(result).toMatchObject({
      outcome: "failed",
      detail: expect.stringMatching(/^cursor failed \(auth\).*Invalid API key/),
    });
    expect(tookMs).toBeLessThan(SOON_MS);
  });

  test("says of a model that the account does not have that there is none", async () => {
    const backend = await startCursorBackend("knows_no_model");
    const { result, tookMs } = await start(backend.url, { model: "no-such-model" }).ended;
    expect(result).toMatchObject({
      outcome: "failed",
      detail: expect.stringMatching(/ConfigurationError: Cannot use this model: no-such-model/),
    });
    expect(tookMs).toBeLessThan(SOON_MS);
  });

  test("is ended by its time where a backend takes the call and never answers, and leaves the key nowhere", async () => {
    const backend = await startCursorBackend("hangs");
    const run = start(backend.url, { limits: { turnsMax: 3, timeMsMax: 10_000, rejectionsMax: 1 } });
    await backend.firstAsked;
    expect(processesThatHold(PLANTED_KEY)).toEqual([]);
    const { result, stdout, stderr, tookMs } = await run.ended;
    expect(result).toMatchObject({ outcome: "time" });
    expect(tookMs).toBeLessThan(10_000 + SOON_MS);
    expect(stdout + stderr).not.toContain(PLANTED_KEY);
    expect(filesThatHold(PLANTED_KEY, run.home)).toEqual([]);
  });
});
