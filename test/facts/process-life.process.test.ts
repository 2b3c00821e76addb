import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { type Life, lifeSignOf, ownLife } from "../../src/facts/process-life.ts";

describe.runIf(process.platform === "linux")("the life of a thread", () => {
  function self(): Life {
    return ownLife() ?? expect.fail("this Linux does not tell which thread we are");
  }

  it("is seen to be one's own, and to go on", () => {
    expect(self().pid).toBe(process.pid);
    expect(lifeSignOf(self())).toBe("lives");
  });

  it.each<[string, Partial<Life>]>([
    ["bore our number before us", { startedAt: "1" }],
    ["was another of this process", { thread: 4_194_303 }],
    ["was of a process that is gone", { pid: 4_194_303, thread: 4_194_303 }],
  ])("is seen to be over where it %s", (_, other) => {
    expect(lifeSignOf({ ...self(), ...other })).toBe("dead");
  });

  it.each<[string, Partial<Life>]>([
    ["was before the last boot, or is on another machine", { boot: "0".repeat(12) }],
    ["is in another PID namespace", { pidNamespace: "1" }],
  ])("is unknown where it %s", (_, other) => {
    expect(lifeSignOf({ ...self(), ...other })).toBe("unknown");
  });

  it("is over for a zombie, which keeps its number and does nothing", async () => {
    // The shell starts a child and becomes a program that never waits for it.
    const parent = spawn("sh", ["-c", "sleep 300 & echo $!; exec sleep 300"], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface({ input: parent.stdout }), "line");
    const pid = Number(line);
    const startedAt = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[21] ?? "";
    const life: Life = { ...self(), pid, thread: pid, startedAt };
    expect(lifeSignOf(life)).toBe("lives");
    process.kill(pid, "SIGKILL");
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2]).toBe("Z");
    expect(lifeSignOf(life)).toBe("dead");
    parent.kill("SIGKILL");
  });
});
