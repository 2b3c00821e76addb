import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MAILS_AT_ONCE } from "../../src/mail/ntfy-mailer.ts";
import { freshRepository } from "../support/git-repository.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { type NtfyProcess, startNtfyProcess } from "../support/ntfy-process.ts";
import { freshTopic } from "../support/ntfy-under-test.ts";
import type { Figure } from "./line.ts";

const JOBS = 200;
const RUNS = 5;
/** The least that the config takes, and more than a healthy pass needs. */
const TIMEOUT_SECONDS = 3;

const CLI = fileURLToPath(new URL("../../dist/cli.cjs", import.meta.url));
const BARE_POSTS = fileURLToPath(new URL("bare-posts.ts", import.meta.url));

/** 200 due jobs woken and mailed by one tick, against a Node process that only posts 200 messages as many at once. */
export async function mailTwoHundred(): Promise<Figure> {
  const ntfy = await startNtfyProcess();
  try {
    const ticks: number[] = [];
    const floors: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      floors.push(await secondsOf([BARE_POSTS, ntfy.url, String(JOBS), String(MAILS_AT_ONCE)]));
      ticks.push(await secondsOfTick([ntfy], ntfy));
    }
    const [tick, floor] = [median(ticks), median(floors)];
    return {
      name: `${JOBS} due jobs mailed / ${JOBS} bare posts`,
      ratio: tick / floor,
      limit: 3,
      detail: `${Math.round(tick * 1000)} ms / ${Math.round(floor * 1000)} ms`,
    };
  } finally {
    await ntfy.stop();
  }
}

/** What the same tick takes longer when the first of two hosts hangs, in time-outs of that host: once, and not 200 times. */
export async function mailPastHangingHost(): Promise<Figure> {
  const hanging = await startNtfyProcess();
  const healthy = await startNtfyProcess();
  try {
    const extras: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const alone = await secondsOfTick([healthy], healthy);
      await hanging.orderPublish({ kind: "hang" }, JOBS);
      extras.push(((await secondsOfTick([hanging, healthy], healthy)) - alone) / TIMEOUT_SECONDS);
    }
    const extra = median(extras);
    return {
      name: `${JOBS} due jobs mailed past a hanging host, in its time-outs`,
      ratio: extra,
      limit: 1.5,
      detail: `${(extra * TIMEOUT_SECONDS).toFixed(1)} s longer; its time-out is ${TIMEOUT_SECONDS} s`,
    };
  } finally {
    await hanging.stop();
    await healthy.stop();
  }
}

/** How long one `--tick --deliver` over a fresh fleet takes; all of its mail must have arrived at `at`. */
async function secondsOfTick(hosts: readonly NtfyProcess[], at: NtfyProcess): Promise<number> {
  const directory = freshRepository();
  const topic = freshTopic();
  mkdirSync(join(directory, "wake_jobs"));
  for (let number = 0; number < JOBS; number++)
    putJob(join(directory, "wake_jobs"), `bench-mail-${String(number).padStart(4, "0")}`);
  const config = { ntfy: { urls: hosts.map(({ url }) => `${url}/${topic}`), timeout_seconds: TIMEOUT_SECONDS } };
  writeFileSync(join(directory, "harness-wake.json"), JSON.stringify(config));
  const seconds = await secondsOf([CLI, "--tick", "--deliver", "--now", atNoon()], directory);
  const arrived = (await at.messages(topic)).length;
  if (arrived !== JOBS) throw new Error(`${arrived} of ${JOBS} mails arrived`);
  return seconds;
}

async function secondsOf(args: readonly string[], cwd?: string): Promise<number> {
  const startedAt = performance.now();
  const { GITHUB_EVENT_NAME: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
  return (performance.now() - startedAt) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
