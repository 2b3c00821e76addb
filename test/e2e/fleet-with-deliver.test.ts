import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/json/json.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { expectJob, type FleetPass, jobIn, passOver, rowsByName } from "../support/fleet-pass.ts";
import { type ExpectedTick, expectedFleet, fleetRepository } from "../support/fleet-repository.ts";
import { commitAll } from "../support/git-repository.ts";
import { type NtfyProcess, startNtfyProcess } from "../support/ntfy-process.ts";
import type { RecordedRequest } from "../support/ntfy-server.ts";
import { runCli } from "../support/run-cli.ts";

const expected = expectedFleet();

/** What is expected of each job of a fleet that a tick mails. */
const wanted: ReadonlyMap<string, ExpectedTick> = new Map(
  Object.entries(expected.jobs).map(([name, { with_deliver, ...without }]) => {
    const want: ExpectedTick = { ...without, ...with_deliver };
    return [name, { ...want, mailed: want.mailed ?? want.action === "WAKE" }];
  }),
);
const mailed = [...wanted].flatMap(([name, want]) => (want.mailed ? [name] : []));
const held = [...wanted].flatMap(([name, want]) => (want.action === "HOLD" ? [name] : []));

const TOPIC = "harbor-wakes";
const TOKEN = "tk_1q2w3e4r5t6z7u8i9o0p1a2s3d4f5";

let ntfy: NtfyProcess;
beforeAll(async () => {
  ntfy = await startNtfyProcess({ authorizations: [`Bearer ${TOKEN}`] });
});
afterAll(() => ntfy.stop());

function mailingFleet(): string {
  const directory = fleetRepository();
  const config = { ntfy: { urls: [`${ntfy.url}/${TOPIC}`], token_env: "NTFY_TOKEN" } };
  writeFileSync(join(directory, "harness-wake.json"), JSON.stringify(config));
  commitAll(directory, "a topic");
  return directory;
}

describe("one tick with --deliver over the fleet", () => {
  let pass: FleetPass;
  let requests: readonly RecordedRequest[];
  let second: FleetPass;
  let requestsOfSecond: readonly RecordedRequest[];
  beforeAll(async () => {
    const cwd = mailingFleet();
    pass = await passOver({ cwd, env: { NTFY_TOKEN: TOKEN } }, "--deliver");
    requests = await ntfy.requests();
    second = await passOver({ cwd, env: { NTFY_TOKEN: TOKEN } }, "--deliver");
    requestsOfSecond = (await ntfy.requests()).slice(requests.length);
  });

  it.each([...wanted])("%s", (name, want) => {
    expectJob(name, want, pass);
  });

  it("mails each job that it wakes once, and no other", () => {
    expect(mailed.length).toBeGreaterThan(15);
    expect(requests.every(({ method, path }) => method === "POST" && path === "/")).toBe(true);
    expect(requests.map((request) => mailIn(request)["job_id"]).sort()).toEqual(mailed.toSorted());
    expect(pass.run.json.delivered_count).toBe(mailed.length);
    expect(pass.run.json.wake_count).toBe(mailed.length);
  });

  it("says of each held job that no road was taken, and of each mailed one which host took it", () => {
    const [sent, kept] = [true, false].map((isMail) =>
      pass.run.json.deliveries.filter(({ state }) => (state === "MAIL") === isMail),
    );
    const rows = rowsByName(pass.run.json);
    const byId = <Item extends { readonly job_id: string }>(items: readonly Item[] = []) =>
      items.toSorted((a, b) => (a.job_id < b.job_id ? -1 : 1));
    expect(byId(kept)).toEqual(
      byId(
        held.map((job_id) => ({
          ok: true,
          state: "CURSOR_QUOTA_HOLD",
          job_id,
          attempt_id: `${job_id}-hold`,
          road: "none" as const,
        })),
      ),
    );
    expect(byId(sent)).toEqual(
      byId(
        mailed.map((job_id) => ({
          ok: true,
          state: "MAIL",
          job_id,
          attempt_id: rows.get(job_id)?.attempt_id ?? "",
          host: ntfy.url,
          http_status: 200,
        })),
      ),
    );
  });

  it("lets no request leave for a held job, whatever it says", () => {
    expect(held).toHaveLength(expected.counts.HOLD);
    for (const { body, path, headers } of requests) {
      for (const job_id of held) expect(body + path + JSON.stringify(headers)).not.toContain(job_id);
    }
  });

  it("tells in a mail what names the attempt, and nothing that gives power over it or says what it is about", () => {
    const mails = requests.map(mailIn);
    for (const mail of mails) {
      expect(Object.keys(mail)).toEqual(["from", "to", "id", "job_id", "attempt_id", "harness", "body"]);
      expect(mail["id"]).toBe(mail["job_id"]);
      expect(mail["attempt_id"]).not.toBe(mail["job_id"]);
    }
    const secrets = [TOKEN];
    for (const name of mailed) {
      const { objective, checkpoint, event_receipts } = jobIn(pass.after[`${name}.json`]);
      const leases = event_receipts.flatMap(({ lease_id }) => (typeof lease_id === "string" ? lease_id : []));
      secrets.push(objective, ...leases, ...leavesOf(checkpoint));
    }
    expect(secrets.filter((secret) => secret.startsWith("lease-")).length).toBeGreaterThan(mailed.length);
    for (const { body } of requests) for (const secret of secrets) expect(body).not.toContain(secret);
  });

  it("mails nothing a second time at the same moment, and writes nothing", () => {
    expect(second.run.json).toMatchObject({ wake_count: 0, delivered_count: 0, hold_count: held.length });
    expect(requestsOfSecond).toEqual([]);
    expect(second.after).toEqual(second.before);
  });
});

describe("--deliver writes nothing and sends nothing", () => {
  it("with --dry-run, which prints the rows of the pass that mails", async () => {
    const cwd = mailingFleet();
    const env = { NTFY_TOKEN: TOKEN };
    const [before, requestsBefore] = [directoryBytes(cwd), await ntfy.requests()];
    const dry = await passOver({ cwd, env }, "--deliver", "--dry-run");
    expect(directoryBytes(cwd)).toEqual(before);
    expect(await ntfy.requests()).toEqual(requestsBefore);
    expect(dry.run.json.delivered_count).toBe(0);
    const wet = await passOver({ cwd, env }, "--deliver");
    expect(dry.run.json.jobs).toEqual(wet.run.json.jobs);
    expect(wet.run.json.delivered_count).toBe(mailed.length);
  });

  it("without a topic: exit 2", async () => {
    const cwd = fleetRepository();
    await expectRefused(cwd, {}, "ntfy.urls");
  });

  it("without the token that the config names: exit 2", async () => {
    await expectRefused(mailingFleet(), {}, "NTFY_TOKEN");
  });

  it.each(["pull_request", "pull_request_target", "pull_request_review"])("in a run for %s: exit 2", async (event) => {
    await expectRefused(mailingFleet(), { NTFY_TOKEN: TOKEN, GITHUB_EVENT_NAME: event }, "pull request");
  });
});

it("a run for a pull request may tick without --deliver", async () => {
  const cwd = mailingFleet();
  const requestsBefore = await ntfy.requests();
  const { run } = await passOver({ cwd, env: { GITHUB_EVENT_NAME: "pull_request" } });
  expect(run.json).toMatchObject({ wake_count: expected.counts.WAKE, deliveries: [] });
  expect(await ntfy.requests()).toEqual(requestsBefore);
});

async function expectRefused(cwd: string, env: Readonly<Record<string, string>>, what: string): Promise<void> {
  const [before, requestsBefore] = [directoryBytes(cwd), await ntfy.requests()];
  const run = await runCli({ cwd, env }, "--tick", "--deliver", "--now", expected.now);
  expect(run.code).toBe(2);
  expect(run.json).toMatchObject({ ok: false, message: expect.stringContaining(what), invoke_model: false });
  expect(run.stderr).toContain(what);
  expect(directoryBytes(cwd)).toEqual(before);
  expect(await ntfy.requests()).toEqual(requestsBefore);
}

function mailIn({ body }: RecordedRequest): JsonObject {
  return JSON.parse(JSON.parse(body).message);
}

/** The texts in a checkpoint; shorter ones than this may stand anywhere by chance. */
function leavesOf(value: unknown): readonly string[] {
  if (typeof value === "string") return value.length >= 4 ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
