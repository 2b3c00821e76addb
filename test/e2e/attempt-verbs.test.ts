import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/answer.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { formatMail, mailFor } from "../../src/mail/wake-mail.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { jobBytes } from "../support/directory-bytes.ts";
import { GIT_ENV } from "../support/git.ts";
import { commitAll, freshRepository } from "../support/git-repository.ts";
import { jobDocument, putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { CLI, type CliRun, runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const JOB = "harbor-verbs-0001";
const FIRST = `${JOB}-a01`;
const ME = ["--worker-id", "worker-one"] as const;

type Fields = Readonly<Record<string, unknown>>;

/** A repository with one job that a tick has woken at noon, and what it offers. */
class WokenFleet {
  readonly cwd = freshRepository();
  readonly jobs = join(this.cwd, "wake_jobs");

  static async open(fields: Fields = {}): Promise<WokenFleet> {
    const fleet = new WokenFleet();
    mkdirSync(fleet.jobs);
    putJob(fleet.jobs, JOB, { checkpoint: { step: 0 }, ...fields });
    await fleet.tick();
    return fleet;
  }

  tick(now = atNoon()) {
    return runCli({ cwd: this.cwd }, "--tick", "--now", now);
  }

  text(): string {
    return readFileSync(join(this.jobs, `${JOB}.json`), "utf8");
  }

  job(): Job {
    return parseJob(this.text(), JOB, JOB);
  }

  /** As an owner with an editor would. */
  edit(fields: Fields): void {
    writeFileSync(join(this.jobs, `${JOB}.json`), JSON.stringify({ ...JSON.parse(this.text()), ...fields }));
  }

  mail(): string {
    const mail = mailFor(this.job());
    if (mail === undefined) throw new Error(`${JOB} offers nothing`);
    return formatMail(mail);
  }

  /** Puts a text into a file beside the jobs; its name. */
  file(name: string, text: string): string {
    writeFileSync(join(this.cwd, name), text);
    return name;
  }

  run(args: readonly string[], stdin?: string): Promise<CliRun<Answer>> {
    const isTimed = args.includes("--now");
    return runCli<Answer>(
      { cwd: this.cwd, ...(stdin !== undefined && { stdin }) },
      ...args,
      ...(isTimed ? [] : ["--now", "2026-11-30T12:01:00Z"]),
    );
  }

  /** Claims as worker-one; what claim printed. */
  async claim(): Promise<string> {
    const { code, stdout } = await this.run(["claim", this.mail(), ...ME]);
    expect(code).toBe(0);
    return stdout;
  }

  /** Runs a verb that must change no job. */
  async unchanged(args: readonly string[], stdin?: string): Promise<CliRun<Answer>> {
    const before = jobBytes(this.jobs);
    const run = await this.run(args, stdin);
    expect(jobBytes(this.jobs), args.join(" ")).toEqual(before);
    return run;
  }
}

function eventsOf(fleet: WokenFleet): readonly string[] {
  return fleet.job().event_receipts.map(({ event }) => event);
}

/** The three ways in which a text comes into a verb: what stands in its place, and what comes on standard input. */
const WAYS = [
  ["as an argument", (_: WokenFleet, text: string) => ({ argument: text.trim() })],
  ["from a file", (fleet: WokenFleet, text: string) => ({ argument: fleet.file("input.json", text) })],
  ["from standard input", (_: WokenFleet, text: string) => ({ argument: "-", stdin: text })],
] as const satisfies readonly (readonly [
  string,
  (fleet: WokenFleet, text: string) => { readonly argument: string; readonly stdin?: string },
])[];

describe("claim", () => {
  it.each(WAYS)("takes the mail %s, and exits 0 on CLAIMED", async (_, put) => {
    const fleet = await WokenFleet.open();
    const { argument, stdin } = { stdin: undefined, ...put(fleet, `${fleet.mail()}\n`) };
    const { code, json, stderr } = await fleet.run(["claim", argument, ...ME], stdin);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(json).toMatchObject({
      ok: true,
      state: "CLAIMED",
      invoke_model: true,
      job_id: JOB,
      attempt_id: FIRST,
      step: 1,
      checkpoint: { step: 0 },
      lease: { holder: "worker-one", until: "2026-11-30T12:16:00Z" },
    });
    expect(eventsOf(fleet)).toEqual(["wake", "delivery_claim"]);
  });

  it("takes what the store offers with --job, without a mail", async () => {
    const fleet = await WokenFleet.open();
    const { code, json } = await fleet.run(["claim", "--job", JOB, ...ME]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ state: "CLAIMED", attempt_id: FIRST });
    const again = await fleet.unchanged(["claim", "--job", JOB, ...ME]);
    expect(again).toMatchObject({
      code: 3,
      json: { ok: false, state: "LEASED", message: expect.stringContaining("worker-one has it until") },
    });
    expect(await fleet.unchanged(["claim", "--job", "no-such-job-01"])).toMatchObject({ code: 3, json: { state: "NOT_FOUND" } });
  });

  it.each([
    [
      "BLOCKED",
      { status: "BLOCKED", blocker: { kind: "external_authority", detail: "waits for a key", fingerprint: "f" } },
      "waits for a key",
    ],
    ["OPEN", { next_wake_at: "2026-12-01T00:00:00Z" }, "2026-12-01T00:00:00Z"],
    ["DONE", { status: "DONE" }, "DONE"],
    ["CURSOR_QUOTA_HOLD", { harness: "cursor" }, "CURSOR_QUOTA_HOLD"],
  ])("--job answers with the job's own state where nothing is offered: %s", async (state, fields, says) => {
    const fleet = new WokenFleet();
    mkdirSync(fleet.jobs);
    putJob(fleet.jobs, JOB, fields);
    const { code, json } = await fleet.unchanged(["claim", "--job", JOB, ...ME]);
    expect([code, json]).toMatchObject([3, { state, invoke_model: false, message: expect.stringContaining(says) }]);
  });

  it("reads the mail from standard input without being told to, where something is piped in", async () => {
    const fleet = await WokenFleet.open();
    expect(await fleet.run(["claim", ...ME], fleet.mail())).toMatchObject({ code: 0, json: { state: "CLAIMED" } });
  });

  it("gives a claim back to the one who drew its id, as often as its answer is lost, and to nobody else", async () => {
    const fleet = await WokenFleet.open();
    const mail = fleet.file("mail.json", fleet.mail());
    const claim = ["claim", mail, ...ME, "--claim-id", "claim-0123456789abcdef01234567"];
    const first = await fleet.run(claim);
    expect(first).toMatchObject({ code: 0, json: { state: "CLAIMED", claim_id: "claim-0123456789abcdef01234567" } });
    expect(await fleet.unchanged(claim)).toMatchObject({ code: 0, json: { state: "CLAIMED", replay: true, invoke_model: true } });
    expect(await fleet.unchanged(["claim", mail, ...ME])).toMatchObject({ code: 3, json: { state: "REPLAY" } });
    expect(await fleet.unchanged(["claim", mail, ...ME, "--claim-id", "short"])).toMatchObject({ code: 2 });
  });

  it("on a terminal shows what the work is, and the command that ends it", async () => {
    const fleet = await WokenFleet.open({
      instructions: "Count the crates.\nWrite them down.",
      result_address: "crates-page-01",
    });
    const environment = { cwd: fleet.cwd, stdoutIsTerminal: true };
    const { out, code } = await runInProcess(environment, "claim", "--job", JOB, "--worker-id", "worker one", "--now", atNoon());
    expect(code).toBe(0);
    expect(out).toContain(`claimed ${FIRST} until 2026-11-30T12:15:00Z`);
    expect(out).toContain("Count the crates.\nWrite them down.\n");
    expect(out).toContain("crates-page-01.md");
    const [, ref = "", worker = ""] = /harness-wake finish '(\{.*\})' --worker-id '(.*)'/.exec(out) ?? [];
    expect(worker).toBe("worker one");
    expect(await fleet.run(["finish", ref, "--worker-id", worker])).toMatchObject({ code: 0, json: { state: "CHECKPOINT" } });
  });

  it("whose answer nobody reads is exit 4, and says that the claim stands and how to go on", async () => {
    const fleet = await WokenFleet.open();
    const environment = { cwd: fleet.cwd, out: () => false };
    const { code, err } = await runInProcess(environment, "claim", "--job", JOB, ...ME, "--now", atNoon());
    expect(code).toBe(4);
    const [, ref = ""] = /the claim stands: .* with '(\{.*\})'/.exec(err) ?? [];
    expect(eventsOf(fleet)).toEqual(["wake", "delivery_claim"]);
    expect(await fleet.run(["fail", ref, "--detail", "unread", ...ME])).toMatchObject({ code: 0 });
  });

  it("into a closed pipe is exit 4", async () => {
    const fleet = await WokenFleet.open();
    const claim = [process.execPath, CLI, "claim", "--job", JOB, ...ME, "--now", atNoon(60)].map((word) => `'${word}'`).join(" ");
    // The reader is gone before the claim is made: it is waited for through a second pipe.
    const script = `{ read -r _ < gone; ${claim}; echo "$?" > code; } 2> said | { exec <&-; echo > gone; }`;
    execFileSync("mkfifo", ["gone"], { cwd: fleet.cwd });
    const env = { ...GIT_ENV, HARNESS_WAKE_SIMULATE: "1" };
    execFileSync("bash", ["-c", script], { cwd: fleet.cwd, env });
    expect(readFileSync(join(fleet.cwd, "code"), "utf8")).toBe("4\n");
    expect(readFileSync(join(fleet.cwd, "said"), "utf8")).toContain("the claim stands");
    expect(eventsOf(fleet)).toEqual(["wake", "delivery_claim"]);
  });

  it("exits 3 on REPLAY, so that `claim … && run-the-model` runs it once", async () => {
    const fleet = await WokenFleet.open();
    fleet.file("mail.json", fleet.mail());
    const cli = `"${process.execPath}" "${CLI}"`;
    const script = `${cli} claim mail.json --now 2026-11-30T12:01:00Z > claim.json && echo the model ran`;
    const runs = [1, 2, 3].map(() => spawnSync("sh", ["-c", script], { cwd: fleet.cwd, encoding: "utf8" }));
    expect(runs.map(({ stdout }) => stdout)).toEqual(["the model ran\n", "", ""]);
    const replay = await fleet.unchanged(["claim", "mail.json"]);
    expect(replay.code).toBe(3);
    expect(replay.json).toMatchObject({ ok: true, state: "REPLAY", invoke_model: false, attempt_id: FIRST });
  });

  it.each<[string, Fields]>([
    ["DONE", { status: "DONE", lease: null }],
    ["CANCELLED", { status: "CANCELLED", lease: null }],
    ["EXHAUSTED", { status: "EXHAUSTED", lease: null }],
    ["STALE_ATTEMPT", { checkpoint: { step: 7 } }],
    ["DEADLINE", { deadline: "2026-11-30T12:00:30Z" }],
    ["BUDGET", { tokens_used: 100_000 }],
    ["BLOCKED", { blocker: { kind: "external_authority", detail: "quay closed", fingerprint: "0123456789abcdef" } }],
    ["CURSOR_QUOTA_HOLD", { harness: "cursor-agent" }],
  ])("exits 3 on %s", async (state, fields) => {
    const fleet = await WokenFleet.open();
    const mail = fleet.mail();
    fleet.edit(fields);
    const { code, json } = await fleet.unchanged(["claim", mail, ...ME]);
    expect(code).toBe(3);
    expect(json).toMatchObject({ state, invoke_model: false, job_id: JOB, attempt_id: FIRST });
    // A hold is no fault: nothing is wrong, and nothing happens.
    expect(json.ok).toBe(state === "CURSOR_QUOTA_HOLD");
  });

  it("exits 3 on STALE_ATTEMPT where the lease is over", async () => {
    const fleet = await WokenFleet.open();
    const run = await fleet.unchanged(["claim", fleet.mail(), "--now", "2026-11-30T12:15:00Z"]);
    expect(run).toMatchObject({ code: 3, json: { state: "STALE_ATTEMPT" } });
  });

  it("exits 3 on a hold over the caller's own harness, or the caller's own name", async () => {
    const fleet = await WokenFleet.open();
    for (const caller of [
      ["--harness", "Cursor CLI"],
      ["--worker-id", "grok-bot-3"],
    ]) {
      const run = await fleet.unchanged(["claim", fleet.mail(), ...caller]);
      expect(run).toMatchObject({ code: 3, json: { ok: true, state: "CURSOR_QUOTA_HOLD", invoke_model: false } });
    }
  });

  it("exits 3 on NO_MAIL for whatever is not a mail of ours, from anywhere", async () => {
    const fleet = await WokenFleet.open();
    const hostile = [
      "",
      "triggered",
      "{",
      "[]",
      '"x"',
      '{"from":"HARNESS_WAKE"}',
      fleet.mail().replace(JOB, "../../etc/passwd"),
      fleet.mail().replaceAll(JOB, "../../../etc/passwd"),
      `${fleet.mail()}${fleet.mail()}`,
      "\u0000\u0001",
      "x".repeat(100_000),
    ];
    for (const text of hostile) {
      const { code, json, stderr } = await fleet.unchanged(["claim", "-"], text);
      expect({ code, state: json.state }, text.slice(0, 100)).toEqual({ code: 3, state: "NO_MAIL" });
      expect(stderr).not.toMatch(/\n\s+at /);
    }
    expect(eventsOf(fleet)).toEqual(["wake"]);
  });

  it("exits 2 where it is not said what to claim, or said twice, or by a name that no receipt could hold", async () => {
    const fleet = await WokenFleet.open();
    for (const [args, code] of [
      [["claim"], "USAGE"],
      [["claim", fleet.mail(), "--job", JOB], "USAGE"],
      [["claim", "no-such-file.json"], "USAGE"],
      [["claim", "--job", "../x"], "SCHEMA"],
      [["claim", fleet.mail(), "--worker-id", "two\nlines"], "SCHEMA"],
      [["claim", fleet.mail(), "--harness", ""], "SCHEMA"],
    ] as const) {
      const run = await fleet.unchanged(args);
      expect(run.code, args.join(" ")).toBe(2);
      expect(run.json, args.join(" ")).toMatchObject({ ok: false, code, invoke_model: false });
    }
  });
});

describe("renew, finish and fail", () => {
  const VERBS = [
    ["renew", [], "RENEWED", ["wake", "delivery_claim"]],
    ["finish", [], "CHECKPOINT", ["wake", "delivery_claim", "checkpoint", "ack"]],
    ["fail", ["--detail", "out of credit"], "FAILED", ["wake", "delivery_claim", "failed"]],
  ] as const;

  it.each(VERBS.flatMap((verb) => WAYS.map((way) => [verb[0], way[0], verb, way[1]] as const)))(
    "%s takes the claim %s, and exits 0",
    async (_, __, [verb, options, state, events], put) => {
      const fleet = await WokenFleet.open();
      const { argument, stdin } = { stdin: undefined, ...put(fleet, await fleet.claim()) };
      const { code, json, stderr } = await fleet.run([verb, argument, ...options, ...ME, "--tokens-used", "70"], stdin);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(json).toMatchObject({ ok: true, state, invoke_model: false, job_id: JOB, attempt_id: FIRST });
      expect(json.replay).toBeUndefined();
      expect(eventsOf(fleet)).toEqual(events);
      expect(fleet.job().tokens_used).toBe(70);
    },
  );

  it.each(VERBS)("%s takes the claim from standard input where none is named", async (verb, options, state) => {
    const fleet = await WokenFleet.open();
    const { code, json } = await fleet.run([verb, ...options, ...ME], await fleet.claim());
    expect({ code, state: json.state }).toEqual({ code: 0, state });
  });

  it("finish and fail exit 0 when they are made again, and change nothing; another outcome is 3", async () => {
    const finished = await WokenFleet.open();
    const claim = finished.file("claim.json", await finished.claim());
    const finish = ["finish", claim, ...ME, "--checkpoint", '{"step": 4}'];
    const first = (await finished.run(finish)).json;
    expect(await finished.unchanged(finish)).toMatchObject({ code: 0, json: { ...first, replay: true } });
    const other = ["finish", claim, ...ME, "--checkpoint", '{"step": 5}'];
    expect(await finished.unchanged(other)).toMatchObject({ code: 3, json: { ok: false, state: "ALREADY_FINISHED" } });
    expect(await finished.unchanged(["renew", claim, ...ME])).toMatchObject({ code: 3, json: { state: "LEASE_LOST" } });

    const failed = await WokenFleet.open();
    const given = failed.file("claim.json", await failed.claim());
    const fail = ["fail", given, ...ME, "--detail", "out of credit"];
    await failed.run(fail);
    expect(await failed.unchanged(fail)).toMatchObject({ code: 0, json: { state: "FAILED", replay: true } });
    expect(await failed.unchanged(["finish", given, ...ME])).toMatchObject({ code: 3, json: { state: "STALE_ATTEMPT" } });
  });

  it.each(VERBS)("%s exits 3 where the claim is not, or no longer, the caller's", async (verb, options) => {
    const fleet = await WokenFleet.open();
    const claim = await fleet.claim();
    const lost = verb === "renew" ? "LEASE_LOST" : "STALE_ATTEMPT";
    for (const [args, stdin, state] of [
      [["--worker-id", "worker-two"], claim, lost],
      [ME, claim.replace(/claim-[0-9a-f]+/, "claim-0"), lost],
      [ME, claim.replaceAll(JOB, "harbor-absent-01"), "NOT_FOUND"],
      [[...ME, "--harness", "cursor"], claim, "CURSOR_QUOTA_HOLD"],
    ] as const) {
      const run = await fleet.unchanged([verb, ...options, ...args], stdin);
      expect(run).toMatchObject({ code: 3, json: { state, invoke_model: false } });
    }
    fleet.edit({ status: "CANCELLED", lease: null });
    expect(await fleet.unchanged([verb, ...options, ...ME], claim)).toMatchObject({ code: 3, json: { state: "CANCELLED" } });
  });

  it("exit 2 for input that no job could hold, and change nothing", async () => {
    const fleet = await WokenFleet.open();
    const claim = await fleet.claim();
    const [plain, page] = [fleet.file("claim.json", claim), "harbor-verbs-page"];
    for (const [args, code, stdin] of [
      [["renew", "{}"], "SCHEMA"],
      [["renew", claim.replace(/"claim_id":"[^"]*",/, "")], "SCHEMA"],
      [["renew", "-"], "SCHEMA", "not JSON"],
      [["renew", "-"], "SCHEMA", ""],
      [["renew", "no-such-file.json"], "USAGE"],
      [["renew", plain, "--tokens-used", "many"], "USAGE"],
      [["renew", plain, "--tokens-used", "-1"], "USAGE"],
      [["finish", plain, "--checkpoint", "[1]"], "SCHEMA"],
      [["finish", plain, "--checkpoint", '{"step": 1'], "SCHEMA"],
      [["finish", plain, "--result", "{nope}"], "SCHEMA"],
      [["finish", plain, "--result-address", "no"], "SCHEMA"],
      [["finish", plain, "--next-wake-at", "2026-02-30"], "USAGE"],
      [["finish", plain, "--checkpoint", `{"deep": ${"[".repeat(300)}${"]".repeat(300)}}`], "SCHEMA"],
      [["fail", plain], "USAGE"],
      [["fail", plain, "--detail", "x".repeat(5_000)], "SCHEMA"],
      [["finish", plain, "--dry-run"], "USAGE"],
      [["finish", plain, "--result-address", page, "--worker-id", "two\nlines"], "SCHEMA"],
    ] as const satisfies readonly (readonly [readonly string[], string, string?])[]) {
      const options = args.some((arg: string) => arg === "--worker-id") ? args : [...args, ...ME];
      const run = await fleet.unchanged(options, stdin);
      const shown = options.join(" ").slice(0, 200);
      expect(run.code, shown).toBe(2);
      expect(run.json, shown).toMatchObject({ ok: false, code, invoke_model: false });
      expect(run.stderr, shown).not.toMatch(/\n\s+at /);
    }
  });
});

describe("finish", () => {
  it.each(WAYS)("takes the checkpoint %s", async (_, put) => {
    const fleet = await WokenFleet.open();
    const claim = fleet.file("claim.json", await fleet.claim());
    const { argument, stdin } = { stdin: undefined, ...put(fleet, '{"step": 3, "note": "Käse — ok"}\n') };
    const { code } = await fleet.run(["finish", claim, ...ME, "--checkpoint", argument], stdin);
    expect(code).toBe(0);
    expect(fleet.job()).toMatchObject({ status: "OPEN", checkpoint: { step: 3, note: "Käse — ok" }, lease: null });
  });

  it.each(WAYS)("takes the result %s: NOT_DURABLE exits 3 until the page is committed, then DONE", async (_, put) => {
    const fleet = await WokenFleet.open({ result_address: JOB });
    const claim = fleet.file("claim.json", await fleet.claim());
    const { argument, stdin } = { stdin: undefined, ...put(fleet, '{"kind": "report", "pages": 3}\n') };
    const finish = ["finish", claim, ...ME, "--result", argument];
    expect(await fleet.unchanged(finish, stdin)).toMatchObject({ code: 3, json: { ok: false, state: "NOT_DURABLE" } });
    mkdirSync(join(fleet.cwd, "p"));
    writeFileSync(join(fleet.cwd, `p/${JOB}.md`), "All quiet.\n");
    expect(await fleet.unchanged(finish, stdin)).toMatchObject({ code: 3, json: { state: "NOT_DURABLE" } });
    commitAll(fleet.cwd, "the page");
    expect(await fleet.run(finish, stdin)).toMatchObject({ code: 0, json: { ok: true, state: "DONE" } });
    expect(fleet.job()).toMatchObject({ status: "DONE", result: { kind: "report", pages: 3 } });
    expect(await fleet.unchanged(finish, stdin)).toMatchObject({ code: 0, json: { state: "DONE", replay: true } });
  });

  it.each([
    ["claim and checkpoint", ["finish", "--checkpoint", "-"]],
    ["claim and result", ["finish", "-", "--result", "-"]],
    ["checkpoint and result", ["finish", "claim.json", "--checkpoint", "-", "--result", "-"]],
  ])("refuses %s both from standard input: exit 2", async (_, args) => {
    const fleet = await WokenFleet.open();
    const claim = await fleet.claim();
    fleet.file("claim.json", claim);
    const { code, json } = await fleet.unchanged([...args, ...ME], claim);
    expect({ code, json }).toMatchObject({ code: 2, json: { ok: false, code: "USAGE" } });
  });

  it("takes when the next attempt may start, and another page than the job's own", async () => {
    const fleet = await WokenFleet.open();
    const claim = fleet.file("claim.json", await fleet.claim());
    await fleet.run(["finish", claim, ...ME, "--next-wake-at", "2026-12-01T09:00:00+01:00"]);
    expect(fleet.job()).toMatchObject({ status: "OPEN", next_wake_at: "2026-12-01T08:00:00Z" });

    const other = await WokenFleet.open();
    mkdirSync(join(other.cwd, "p"));
    writeFileSync(join(other.cwd, "p/harbor-elsewhere.md"), "All quiet.\n");
    commitAll(other.cwd, "the page");
    const given = other.file("claim.json", await other.claim());
    const done = ["finish", given, ...ME, "--result", '{"kind":"report"}', "--result-address", "harbor-elsewhere"];
    expect(await other.run(done)).toMatchObject({ code: 0, json: { state: "DONE" } });
    expect(other.job()).toMatchObject({ status: "DONE", result_address: "harbor-elsewhere" });
  });
});

describe("numbers", () => {
  const NUMBERS = '"big": 1234567890123456789, "huge": 1e400, "one": 1.0, "tiny": 0.10, "zero": -0.0';

  it("come out of claim as they stand in the file, and go back through finish as they came", async () => {
    const fleet = await WokenFleet.open();
    const path = join(fleet.jobs, `${JOB}.json`);
    writeFileSync(path, JSON.stringify(jobDocument(JOB, { checkpoint: "HERE" })).replace('"HERE"', `{${NUMBERS}, "step": 0}`));
    await fleet.tick();
    const claim = await fleet.claim();
    for (const text of NUMBERS.split(", ")) expect(claim).toContain(text.replace(" ", ""));
    const file = fleet.file("claim.json", claim);
    const given = `{${NUMBERS.replaceAll(",", ",\n")}, "new": 98765432109876543210, "step": 1.0}`;
    expect((await fleet.run(["finish", file, ...ME, "--checkpoint", given])).code).toBe(0);
    for (const line of [...NUMBERS.split(", "), '"new": 98765432109876543210', '"step": 1.0'])
      expect(fleet.text()).toContain(line);
    expect((await fleet.unchanged(["finish", file, ...ME, "--checkpoint", given])).json).toMatchObject({ replay: true });
  });

  it("pass through a shell harness that has neither jq nor Python", async () => {
    const fleet = await WokenFleet.open();
    const path = join(fleet.jobs, `${JOB}.json`);
    writeFileSync(path, JSON.stringify(jobDocument(JOB, { checkpoint: "HERE" })).replace('"HERE"', `{${NUMBERS}, "step": 0}`));
    await fleet.tick();
    const tools = tempDirectory();
    for (const tool of ["sh", "sed"]) {
      symlinkSync(execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim(), join(tools, tool));
    }
    writeFileSync(
      join(tools, "harness-wake"),
      `#!${join(tools, "sh")}\nexec "${process.execPath}" "${CLI}" "$@" --now 2026-11-30T12:01:00Z\n`,
      { mode: 0o755 },
    );
    fleet.file(
      "harness.sh",
      `set -e
harness-wake claim --job ${JOB} > claim.json || exit 0
checkpoint=$(sed -n 's/.*"checkpoint":\\(.*\\),"objective":.*/\\1/p' claim.json)
harness-wake renew claim.json > renewed.json
echo "$checkpoint" | sed 's/"step":0/"step":1,"note":"worked"/' |
  harness-wake finish claim.json --checkpoint - --tokens-used 1200
`,
    );
    const env = { PATH: tools, HARNESS_WAKE_WORKER_ID: "shell-1" };
    const stdout = execFileSync(join(tools, "sh"), ["harness.sh"], { cwd: fleet.cwd, encoding: "utf8", env });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, state: "CHECKPOINT", step: 1 });
    for (const line of [...NUMBERS.split(", "), '"note": "worked"', '"step": 1']) expect(fleet.text()).toContain(line);
    expect(fleet.job()).toMatchObject({ tokens_used: 1_200, status: "OPEN" });
    const text = fleet.text();
    expect(execFileSync(join(tools, "sh"), ["harness.sh"], { cwd: fleet.cwd, encoding: "utf8", env, stdio: "pipe" })).toBe("");
    expect(fleet.text()).toBe(text);
  });
});

describe("probe", () => {
  it.each([
    ["BAD_ID", 3, ["probe", "bc-xyz"]],
    ["BAD_ID", 3, ["probe", "../../etc"]],
    ["NOT_OTHER_RUN", 3, ["probe", "bc-12345678", "--this-bc", "bc-12345678"]],
    ["UNMEASURED", 0, ["probe", "bc-12345678"]],
    ["UNMEASURED", 0, ["probe", "bc-12345678", "--this-bc", "bc-87654321"]],
  ] as const)("says %s, always STOP, and never to run a model: exit %i", async (state, exit, args) => {
    const fleet = await WokenFleet.open();
    const { code, json, stderr } = await fleet.unchanged(args);
    expect(code).toBe(exit);
    expect(json).toMatchObject({ ok: exit === 0, action: "STOP", invoke_model: false, state, measured: false });
    expect(json).toMatchObject({ live_resume: false, reason: expect.any(String), resume_roads: expect.any(Array) });
    if (exit !== 0) expect(stderr).toContain(state);
  });
});
