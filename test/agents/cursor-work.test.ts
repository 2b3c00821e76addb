import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import type { WorkerEvent } from "../../src/harness/worker/worker-event.ts";
import { PLANTED_KEY } from "../support/cursor-host.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { runCli } from "../support/run-cli.ts";
import { filesThatHold, type Holder, processesThatHold } from "../support/where-a-secret-is.ts";
import { WorkingCli } from "../support/working-cli.ts";

const LIFTED = { holds: { CURSOR_QUOTA_HOLD: { enabled: false } } };

/** How npm reaches its registry is the machine's own. */
const REGISTRY = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && /^(?:npm_config_|NODE_EXTRA_CA_CERTS$|SSL_CERT_|(?:https?|no)_proxy$)/i.test(name)
      ? [[name, value]]
      : [],
  ),
);

test("with the lift committed, a worker installs the runtime, starts a run, and tells its failure; no process but the worker's own ever holds the key", async ({
  skip,
}) => {
  skip((await findEnclosure({ choice: "auto", env: process.env })).kind !== "bwrap");
  const { directory } = fleetWithRemote(LIFTED);
  const state = realpathSync(mkdtempSync("/var/tmp/harness-wake-"));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const env = { ...REGISTRY, HOME: directory, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
  const told = ["--owner", "HARBOR", "--harness", "cursor", "--objective", "Go", "--within", "2d"];
  await runCli({ cwd: directory, env }, "create", "harbor-train-0001", ...told);
  expect((await runCli({ cwd: directory, env }, "--tick")).json).toMatchObject({ wake_count: 1 });
  const args = ["--adapter", "cursor", "--harness", "cursor", "--once", "--state-dir", state];
  await using worker = new WorkingCli(directory, { ...env, CURSOR_API_KEY: PLANTED_KEY }, ...args);
  let isOver = false;
  const over = worker.over().finally(() => {
    isOver = true;
  });
  const holders = new Map<number, Holder>();
  while (!isOver) {
    for (const holder of processesThatHold(PLANTED_KEY)) holders.set(holder.pid, holder);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await over).toBe(1);
  const events = worker.said as readonly (WorkerEvent & { readonly event?: string })[];
  expect(events.map(({ event }) => event)).toEqual(["started", "claimed", "ended", undefined]);
  expect(events[0]).toMatchObject({ message: expect.stringContaining("@cursor/sdk 1.0.31") });
  expect(events[2]).toMatchObject({
    state: "FAILED",
    message: expect.stringMatching(/^cursor failed \(network\).*NetworkError/),
  });
  // That the worker's own environment was found shows that the scan finds what there is. For a moment after its fork a child is
  // a copy of the worker.
  expect([...holders.keys()]).toContain(worker.pid);
  expect([...holders.values()].filter(({ commandLine }) => !commandLine.includes("cli.cjs work"))).toEqual([]);
  expect(filesThatHold(PLANTED_KEY, state)).toEqual([]);
  expect(filesThatHold(PLANTED_KEY, directory)).toEqual([]);
  expect(JSON.stringify(worker.said)).not.toContain(PLANTED_KEY);
  expect(readFileSync(`${directory}/wake_jobs/harbor-train-0001.json`, "utf8")).toContain("NetworkError");
});
