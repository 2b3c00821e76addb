import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TickSummary } from "../../src/wake/summary.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import type { PublishFault } from "../support/ntfy-fault.ts";
import { type NtfyProcess, startNtfyProcess } from "../support/ntfy-process.ts";
import { type CliRun, runCli } from "../support/run-cli.ts";

const USER = "harbor-user";
const PASSWORD = "URLSECRET/with@signs";
/** As it stands in an address. */
const CREDENTIALS = `${USER}:${encodeURIComponent(PASSWORD)}`;
const BASIC = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`;
const TOKEN = "tk_tokensecret1234567890123456";
/** Whoever knows it can read and write there. */
const TOPIC = "topicsecret-tXJ41Qm";
const PLANTED = { AWS_SECRET_ACCESS_KEY: "ENVSECRET", OPENAI_API_KEY: "sk-ENVSECRET", NTFY_TOKEN: TOKEN };

/** What may stand in no output, receipt or file, in whatever way it was put. Short, so that half of a secret is found too. */
const SECRETS = ["URLSECRET", "tokensecret", "topicsecret", "ENVSECRET", BASIC.slice("Basic ".length, 40)];

const JOB = "harbor-secret-01";

let ntfy: NtfyProcess;
beforeAll(async () => {
  ntfy = await startNtfyProcess({ authorizations: [BASIC, `Bearer ${TOKEN}`] });
});
afterAll(() => ntfy.stop());

/** The server's address with credentials before the host. */
function secretUrl(topic = TOPIC): string {
  return `${ntfy.url.replace("://", `://${CREDENTIALS}@`)}/${topic}`;
}

interface Setting {
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function configWith(...urls: readonly string[]): string {
  return JSON.stringify({ ntfy: { urls, timeout_seconds: 1 } });
}

interface Passed {
  readonly cwd: string;
  readonly run: CliRun<TickSummary>;
}

/** One pass with `--deliver` over a due job, and everything that it said and left, which must hold no secret. */
async function deliver({ config, env }: Setting): Promise<Passed> {
  const { directory: cwd } = fleetWithRemote({});
  putJob(join(cwd, "wake_jobs"), JOB, { checkpoint: { step: 0, note: "CHECKPOINTTEXT" } });
  if (config !== undefined) writeFileSync(join(cwd, "harness-wake.json"), config);
  const run = await runCli<TickSummary>(
    { cwd, env: { ...PLANTED, ...env } },
    ...["--tick", "--deliver", "--now", atNoon(), "--debug", "--summary", "summary.md"],
  );
  if (config !== undefined) expect(readFileSync(join(cwd, "harness-wake.json"), "utf8")).toBe(config);
  const { "harness-wake.json": _, ...files } = directoryBytes(cwd);
  for (const secret of SECRETS) {
    expect(run.stdout).not.toContain(secret);
    expect(run.stderr).not.toContain(secret);
    for (const [path, text] of Object.entries(files)) expect(text, path).not.toContain(secret);
  }
  return { cwd, run };
}

describe("no secret reaches an output, a receipt or a file", () => {
  it.each<[string, () => Setting, string]>([
    ["an address in the config", () => ({ config: configWith(secretUrl()) }), BASIC],
    ["an address in HARNESS_WAKE_NTFY_URLS", () => ({ env: { HARNESS_WAKE_NTFY_URLS: secretUrl() } }), BASIC],
    [
      "the environment variable that the config names",
      () => ({ config: JSON.stringify({ ntfy: { urls: [`${ntfy.url}/${TOPIC}`], token_env: "NTFY_TOKEN" } }) }),
      `Bearer ${TOKEN}`,
    ],
    [
      "the one that HARNESS_WAKE_NTFY_TOKEN_ENV names",
      () => ({ env: { HARNESS_WAKE_NTFY_URLS: `${ntfy.url}/${TOPIC}`, HARNESS_WAKE_NTFY_TOKEN_ENV: "NTFY_TOKEN" } }),
      `Bearer ${TOKEN}`,
    ],
  ])("when mail goes out with what stands in %s", async (_, setting, authorization) => {
    const { run } = await deliver(setting());
    expect(run.json).toMatchObject({ delivered_count: 1, deliveries: [{ host: ntfy.url, http_status: 200 }] });
    const { headers, body } = (await ntfy.requests()).at(-1) ?? { headers: {}, body: "" };
    expect(headers.authorization).toBe(authorization);
    expect(body).toContain(JOB);
    const mail = body.replace(TOPIC, "");
    for (const hidden of [...SECRETS, "CHECKPOINTTEXT", "Keep the release train moving"]) expect(mail).not.toContain(hidden);
  });

  it("nor does the answer of any verb tell it, once the mail is out", async () => {
    const { cwd } = await deliver({ config: configWith(secretUrl()) });
    const verbs = [["list"], ["show", JOB], ["holds"], ["claim", "--job", JOB], ["probe", "bc-12345678"], ["--tick"]];
    for (const verb of verbs) {
      const { stdout, stderr } = await runCli({ cwd, env: PLANTED }, ...verb, "--debug");
      expect(stdout).not.toBe("");
      for (const secret of SECRETS) expect(stdout + stderr).not.toContain(secret);
    }
  });

  it.each<[string, PublishFault, number]>([
    ["refuses the credentials", { kind: "status", status: 401 }, 1],
    ["forbids", { kind: "status", status: 403 }, 1],
    ["knows no such page", { kind: "status", status: 404 }, 1],
    ["is busy", { kind: "status", status: 429, retryAfter: "1" }, 3],
    ["fails", { kind: "status", status: 500 }, 3],
    ["hangs", { kind: "hang" }, 1],
    ["falls silent in its answer", { kind: "half-answer" }, 1],
    ["resets the connection", { kind: "reset" }, 1],
    ["answers as a proxy does", { kind: "html" }, 1],
    ["alters the message", { kind: "altered" }, 1],
    ["makes an attachment of the message", { kind: "attachment" }, 1],
    ["redirects", { kind: "redirect", to: "/elsewhere" }, 1],
  ])("when a host %s", async (_, fault, times) => {
    await ntfy.orderPublish(fault, times);
    const sentBefore = (await ntfy.requests()).length;
    const { run } = await deliver({ config: configWith(secretUrl()) });
    expect(run.code).toBe(1);
    expect(run.json).toMatchObject({ ok: false, deliveries: [{ state: "FAILED", host: ntfy.url }] });
    expect((await ntfy.requests()).length).toBe(sentBefore + times);
  });

  it.each<[string, () => string, string]>([
    ["speaks no TLS", () => secretUrl().replace("http:", "https:"), "https://127.0.0.1:"],
    ["has no address", () => `https://${CREDENTIALS}@no-such-host.invalid/${TOPIC}`, "https://no-such-host.invalid"],
    ["is not there", () => `http://${CREDENTIALS}@127.0.0.1:1/${TOPIC}`, "http://127.0.0.1:1"],
  ])("when a host %s", async (_, url, host) => {
    const { run } = await deliver({ env: { HARNESS_WAKE_NTFY_URLS: url() } });
    expect(run.code).toBe(1);
    expect(run.json).toMatchObject({ deliveries: [{ state: "FAILED", host: expect.stringContaining(host) }] });
  });

  it.each<[string, () => Setting]>([
    ["has lost a quote after a password", () => ({ config: configWith(secretUrl()).replace('"]', "]") })],
    ["has a quote inside a password", () => ({ config: configWith(secretUrl()).replace("%2F", '"') })],
    ["has a password without quotes", () => ({ config: '{"ntfy": {"urls": [URLSECRET@ntfy.example.net/wakes]}}' })],
    ["gives one address instead of a list", () => ({ config: `{"ntfy": {"urls": "${secretUrl()}"}}` })],
    ["gives an address without a topic", () => ({ config: configWith(`https://${CREDENTIALS}@ntfy.example.net/`) })],
    ["gives an address without its scheme", () => ({ config: configWith(`${CREDENTIALS}@ntfy.example.net/wakes`) })],
    [
      "gives an address whose password is not encoded",
      () => ({ config: configWith(`https://u:URLSECRET/x@ntfy.example.net/w`) }),
    ],
    [
      "gives an address whose password breaks its encoding",
      () => ({ config: configWith("http://u:URLSECRET%E0%A4@127.0.0.1/w") }),
    ],
    ["would send the password in the clear", () => ({ config: configWith(`http://${CREDENTIALS}@ntfy.example.net/wakes`) })],
    [
      "would send the token in the clear",
      () => ({ config: JSON.stringify({ ntfy: { urls: ["http://ntfy.example.net/wakes"], token_env: "NTFY_TOKEN" } }) }),
    ],
    [
      "holds the token where the name of its variable belongs",
      () => ({ config: JSON.stringify({ ntfy: { urls: ["https://ntfy.example.net/wakes"], token_env: TOKEN } }) }),
    ],
  ])("when the config %s: exit 2", async (_, setting) => {
    const { run } = await deliver(setting());
    expect(run.code).toBe(2);
    expect(run.json).toMatchObject({ ok: false, code: "CONFIG" });
  });

  it.each<[string, () => Readonly<Record<string, string>>]>([
    ["HARNESS_WAKE_NTFY_URLS holds no address", () => ({ HARNESS_WAKE_NTFY_URLS: `${CREDENTIALS}@ntfy.example.net/wakes` })],
    ["HARNESS_WAKE_NTFY_URLS would send in the clear", () => ({ HARNESS_WAKE_NTFY_URLS: `http://${CREDENTIALS}@example.net/w` })],
    [
      "the token came with a line break",
      () => ({
        HARNESS_WAKE_NTFY_URLS: "https://ntfy.example.net/w",
        HARNESS_WAKE_NTFY_TOKEN_ENV: "NTFY_TOKEN",
        NTFY_TOKEN: `${TOKEN}\nmore`,
      }),
    ],
    [
      "HARNESS_WAKE_NTFY_TOKEN_ENV holds the token itself",
      () => ({ HARNESS_WAKE_NTFY_URLS: "https://ntfy.example.net/w", HARNESS_WAKE_NTFY_TOKEN_ENV: TOKEN }),
    ],
  ])("when %s: exit 2", async (_, env) => {
    const { run } = await deliver({ env: env() });
    expect(run.code).toBe(2);
    expect(run.json).toMatchObject({ ok: false, code: "CONFIG" });
  });
});
