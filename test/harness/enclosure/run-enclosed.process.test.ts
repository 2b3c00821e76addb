import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Cage } from "../../../src/harness/enclosure/enclosure.ts";
import { findEnclosure } from "../../../src/harness/enclosure/find-enclosure.ts";
import { type EnclosedCommand, runEnclosed } from "../../../src/harness/enclosure/run-enclosed.ts";
import { SteppedTime } from "../../support/stepped-time.ts";

const enclosure = await findEnclosure({ choice: "none", env: process.env });

function shell(script: string, more: Partial<EnclosedCommand> = {}): EnclosedCommand & { readonly said: () => string } {
  let said = "";
  const hear = (chunk: Buffer): void => {
    said += chunk;
  };
  return {
    argv: ["sh", "-c", script],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    mounts: [],
    stdin: "",
    onStdout: hear,
    onStderr: hear,
    said: () => said,
    ...more,
  };
}

test("a run gets its text on standard input, which is then closed", async () => {
  const text = "a prompt\n".repeat(30_000);
  const command = shell("wc -c", { stdin: text });
  expect(await runEnclosed(enclosure, command).ended).toEqual({ state: "ended", exit_code: 0, signal: null });
  expect(command.said().trim()).toBe(`${text.length}`);
});

test("one that reads nothing of it ends all the same", async () => {
  const command = shell("exit 7", { stdin: "x".repeat(1_000_000) });
  expect(await runEnclosed(enclosure, command).ended).toEqual({ state: "ended", exit_code: 7, signal: null });
});

test("its environment is what it was given, and the mark", async () => {
  const command = shell("env", { env: { PATH: process.env["PATH"] ?? "", GIVEN: "yes" } });
  await runEnclosed(enclosure, command).ended;
  const names = command
    .said()
    .split("\n")
    .map((line) => line.split("=")[0]);
  expect(names).toEqual(expect.arrayContaining(["PATH", "GIVEN", "HARNESS_WAKE_RUN"]));
  expect(names).not.toContain("HOME");
});

test.each([
  ["a program that is not there", { argv: ["/nowhere/agent"] as const }],
  ["an argument that is too long", { argv: ["true", "x".repeat(300_000)] as const }],
  ["a directory that is gone", { cwd: "/nowhere" }],
])("%s is told as a run that never started", async (_what, more) => {
  expect(await runEnclosed(enclosure, shell("", more)).ended).toEqual({
    state: "not_started",
    message: expect.stringMatching(/ENOENT|E2BIG/),
  });
});

test("a run is stopped at its deadline by the clock that was handed in, which can be moved", async () => {
  const time = new SteppedTime();
  const ready = new PassThrough();
  const command = shell("echo ready; sleep 1000", { onStdout: (chunk) => void ready.write(chunk) });
  const run = runEnclosed(enclosure, command, time);
  await once(ready, "data");
  run.stopBy(1_000, "the lease is over");
  time.advance(999);
  run.stopBy(5_000, "the next lease is over");
  time.advance(4_000);
  await turnOfEvents();
  // Still there: the first deadline was taken back.
  time.advance(1);
  const ticking = setInterval(() => time.advance(20), 5);
  expect(await run.ended).toEqual({ state: "stopped", why: "the next lease is over", by: "asked" });
  clearInterval(ticking);
});

test("of two reasons to stop the first is told, and the shorter grace holds", async () => {
  const time = new SteppedTime();
  const ready = new PassThrough();
  const command = shell("trap '' TERM; echo ready; while :; do sleep 0.1; done", {
    onStdout: (chunk) => void ready.write(chunk),
  });
  const run = runEnclosed(enclosure, command, time);
  await once(ready, "data");
  run.stop("the job was cancelled", 1_000_000_000);
  run.stop("told to", 100);
  const ticking = setInterval(() => time.advance(20), 5);
  expect(await run.ended).toEqual({ state: "stopped", why: "the job was cancelled", by: "killed" });
  clearInterval(ticking);
});

test("a stop that finds nothing inside yet asks again", async () => {
  const asked: boolean[] = [];
  const inner = enclosure.cage("0".repeat(24));
  const late: Cage = {
    wrap: (program) => inner.wrap(program),
    entered: (pid) => inner.entered(pid),
    ask: () => {
      asked.push(asked.length > 3 && inner.ask());
      return asked.at(-1) ?? false;
    },
    isEmpty: () => inner.isEmpty(),
    release: () => inner.release(),
    killAll: () => inner.killAll(),
    close: () => inner.close(),
  };
  const run = runEnclosed({ cage: () => late }, shell("sleep 1000"));
  run.stop("told to");
  expect(await run.ended).toEqual({ state: "stopped", why: "told to", by: "asked" });
  expect(asked).toEqual([false, false, false, false, true]);
});

function turnOfEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
