import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { GIT_ENV } from "../support/git.ts";
import { putJob } from "../support/job-builder.ts";
import { startNtfyServer } from "../support/ntfy-server.ts";
import { CLI, runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test("told to stop while its mail is under way, a ticking process notes that the mail went out, and ends with 0", async () => {
  const cwd = tempDirectory();
  mkdirSync(join(cwd, "wake_jobs"));
  const path = putJob(join(cwd, "wake_jobs"), "harbor-crane-001", { next_wake_at: "2020-01-01", deadline: "2099-01-01" });
  const ntfy = await startNtfyServer();
  const env = { ...GIT_ENV, HOME: cwd, HARNESS_WAKE_NTFY_URLS: `${ntfy.url}/harbor` };
  const ticking = spawn(process.execPath, [CLI, "--tick", "--deliver", "--every", "1h"], { cwd, env });
  const ended = once(ticking, "close");
  // Before its publisher hears that the message was taken.
  ntfy.onMessage = () => ticking.kill("SIGTERM");
  const out = await text(ticking.stdout);
  expect(await ended).toEqual([0, null]);
  await ntfy.down();
  expect(out.split("\n")).toHaveLength(2);
  expect(JSON.parse(out)).toMatchObject({ state: "TICKED", wake_count: 1, delivered_count: 1 });
  expect(JSON.parse(readFileSync(path, "utf8")).event_receipts).toMatchObject([{ event: "wake" }, { carrier: "MAIL" }]);
});

test("what cannot be repeated is refused before anything is ticked", async () => {
  const cwd = tempDirectory();
  mkdirSync(join(cwd, "wake_jobs"));
  const still = await runCli({ cwd }, "--tick", "--every", "1m", "--now", "2027-01-01T00:00:00Z");
  expect(still).toMatchObject({ code: 2, json: { code: "USAGE", field: "now" } });
  const topicless = await runCli({ cwd }, "--tick", "--every", "1m", "--deliver");
  expect(topicless).toMatchObject({ code: 2, json: { code: "CONFIG", field: "ntfy.urls" } });
});
