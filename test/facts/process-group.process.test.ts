import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ForkedProgram } from "../support/forked-program.ts";
import { freshRepository } from "../support/git-repository.ts";
import { livesIn } from "../support/lives-in.ts";
import { pathWithGit } from "../support/script.ts";
import { tempDirectory } from "../support/temp-directory.ts";

/** A program whose git hangs, and where the process id of what that git started stands. */
async function hanging(...args: readonly string[]) {
  const pid = join(tempDirectory(), "pid");
  const path = pathWithGit(`case "$*" in *--version*) exec $GIT --version;; esac; sleep 600 & echo $! > ${pid}; wait`);
  const program = new ForkedProgram<string>("git-that-hangs.ts", freshRepository(), path, ...args);
  await expect.poll(() => existsSync(pid) && livesIn(pid), { timeout: 60_000 }).toBe(true);
  return { program, pid };
}

describe("git has a process group of its own, and ends with the program that runs it", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("on %s, of which the program dies as ever", async (signal) => {
    const { program, pid } = await hanging();
    program.signal(signal);
    expect(await program.over()).toBe(signal);
    await expect.poll(() => livesIn(pid), { timeout: 60_000 }).toBe(false);
  });

  test("but not before a program that handles the signal has ended", async () => {
    const { program, pid } = await hanging("finishing");
    program.signal("SIGTERM");
    expect(await program.hear()).toBe("finishing");
    expect(livesIn(pid)).toBe(true);
    program.tell("end");
    await program.over();
    await expect.poll(() => livesIn(pid), { timeout: 60_000 }).toBe(false);
  });
});
