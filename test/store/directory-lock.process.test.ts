import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/facts/clock.ts";
import { systemClock } from "../../src/facts/clock.ts";
import { withDirectoryLock } from "../../src/store/directory-lock.ts";
import { nodeDisk } from "../../src/store/disk.ts";
import { heartbeatName, holderOf } from "../../src/store/lock/baton.ts";
import { LockDirectory } from "../../src/store/lock/lock-directory.ts";
import { deadHolder, strangeHolder } from "../support/dead-holder.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { TempDirectory } from "../support/temp-directory.ts";

/** A directory that has a lock. */
async function locked(): Promise<TempDirectory> {
  const directory = new TempDirectory();
  await lock(directory);
  return directory;
}

function lock({ path }: TempDirectory, clock: Clock = systemClock): Promise<string> {
  return withDirectoryLock(path, { clock }, async () => "mine");
}

function within({ path }: TempDirectory, name: string): string {
  return join(path, ".lock.d", name);
}

function names({ path }: TempDirectory): string[] {
  return readdirSync(join(path, ".lock.d")).sort();
}

/** A clock by which half a second passes whenever it is asked. */
function leapingClock(): Clock & { readonly ms: number } {
  let ms = 0;
  return {
    now: () => 0,
    monotonic: () => {
      ms += 500;
      return ms;
    },
    get ms() {
      return ms;
    },
  };
}

const AT_REST = [".gitignore", "free"];

describe("the lock's directory", () => {
  it("is made whole, hides itself from git, and stays", async () => {
    using directory = await locked();
    expect(readdirSync(directory.path)).toEqual([".lock.d"]);
    expect(names(directory)).toEqual(AT_REST);
    expect(readFileSync(within(directory, ".gitignore"), "utf8")).toBe("*\n");
  });

  it.each([0o755, 0o700, 0o775, 0o2775, 0o777])(
    "has the mode of the jobs directory (%o), and follows when that changes",
    async (mode) => {
      using directory = new TempDirectory();
      chmodSync(directory.path, mode);
      await lock(directory);
      expect(lstatSync(join(directory.path, ".lock.d")).mode & 0o7777).toBe(mode);
      chmodSync(directory.path, 0o750);
      await lock(directory);
      expect(lstatSync(join(directory.path, ".lock.d")).mode & 0o7777).toBe(0o750);
    },
  );

  it("is not sticky where the jobs directory is, since a baton passes between users", async () => {
    using directory = new TempDirectory();
    chmodSync(directory.path, 0o1777);
    await lock(directory);
    expect(lstatSync(join(directory.path, ".lock.d")).mode & 0o7777).toBe(0o777);
  });

  it.each<[string, (path: string, beside: string) => unknown]>([
    ["a link to a directory", (path, beside) => symlinkSync(beside, path)],
    ["a link to nothing", (path) => symlinkSync("nowhere", path)],
    ["a file", (path) => writeFileSync(path, "precious")],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ])("is refused by name where it is %s, which stays what it is", async (_, make) => {
    using directory = new TempDirectory();
    const path = join(directory.path, ".lock.d");
    const beside = join(directory.path, "beside");
    mkdirSync(beside, 0o700);
    make(path, beside);
    const before = lstatSync(path);
    const error = await jobErrorFrom(() => lock(directory));
    expect(error).toMatchObject({ code: "LOCK_UNAVAILABLE", file: directory.path });
    expect(error?.message).toContain(`${path} is no directory, so this program did not make it; remove it`);
    expect(lstatSync(path)).toMatchObject({ ino: before.ino, mode: before.mode, size: before.size });
    expect(readdirSync(beside)).toEqual([]);
    expect(lstatSync(beside).mode & 0o7777).toBe(0o700);
  });

  it("is completed where it is empty, as after a cleaning that was cut short", async () => {
    using directory = new TempDirectory();
    mkdirSync(join(directory.path, ".lock.d"));
    expect(await lock(directory, leapingClock())).toBe("mine");
    expect(names(directory)).toEqual(AT_REST);
  });

  it("leaves nothing of one that another was making when it died", async () => {
    using directory = new TempDirectory();
    for (const [i, parts] of [[], [".gitignore"], [".gitignore", "free"]].entries()) {
      const unfinished = join(directory.path, `.lock.d-${String(i).repeat(24)}`);
      mkdirSync(unfinished);
      for (const part of parts) writeFileSync(join(unfinished, part), "");
    }
    await lock(directory);
    expect(readdirSync(directory.path)).toEqual([".lock.d"]);
  });

  it("is made by many at once as one", async () => {
    using directory = new TempDirectory();
    const jobs = { mode: 0o755, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const makers = Array.from({ length: 8 }, () => new LockDirectory(directory.path, jobs, nodeDisk));
    await Promise.all(makers.map((maker) => maker.make()));
    expect(readdirSync(directory.path)).toEqual([".lock.d"]);
    expect(names(directory)).toEqual(AT_REST);
  });

  it("that cannot be made is told with what to do", async () => {
    using directory = new TempDirectory();
    rmSync(directory.path, { recursive: true });
    expect(await jobErrorFrom(() => lock(directory))).toMatchObject({ code: "CONFIG" });
  });
});

describe("what others planted in the lock's directory", () => {
  it.each<[string, (path: string) => unknown]>([
    ["a directory", (path) => mkdirSync(path)],
    ["a link", (path) => symlinkSync("../precious", path)],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ])("as the baton is refused by name where it is %s", async (_, make) => {
    using directory = await locked();
    writeFileSync(join(directory.path, "precious"), "precious");
    rmSync(within(directory, "free"));
    make(within(directory, "free"));
    const error = await jobErrorFrom(() => lock(directory));
    expect(error).toMatchObject({ code: "LOCK_UNAVAILABLE" });
    expect(error?.message).toContain(`${within(directory, "free")} is no regular file`);
    expect(names(directory)).toEqual(AT_REST);
    expect(readFileSync(join(directory.path, "precious"), "utf8")).toBe("precious");
  });

  it.each(["held-", "held-by-a-later-version", `held-${"0".repeat(24)}-x`, `held-${"z".repeat(200)}`])(
    "as a held baton with a name that nobody can read (%s) is waited for until it has been silent, no longer",
    async (name) => {
      using directory = await locked();
      renameSync(within(directory, "free"), within(directory, name));
      const clock = leapingClock();
      expect(await lock(directory, clock)).toBe("mine");
      expect(clock.ms).toBeGreaterThan(5_000);
      expect(clock.ms).toBeLessThan(15_000);
      expect(names(directory)).toEqual(AT_REST);
    },
  );

  it("by the hundred takes no longer, and is cleared away", async () => {
    using directory = await locked();
    rmSync(within(directory, "free"));
    for (let i = 0; i < 300; i++) writeFileSync(within(directory, `held-${i}`), "");
    expect(await lock(directory, leapingClock())).toBe("mine");
    expect(names(directory)).toEqual(AT_REST);
  });

  it("beside the baton is taken away, so that there is one again", async () => {
    using directory = await locked();
    for (const name of ["held-by-whom", strangeHolder(), deadHolder()]) writeFileSync(within(directory, name), "");
    expect(await lock(directory)).toBe("mine");
    expect(names(directory)).toEqual(AT_REST);
  });

  it("that is no file is left alone, whatever its name", async () => {
    using directory = await locked();
    const planted = ["held-directory", `tmp-${"a".repeat(24)}`, heartbeatName("b".repeat(24))];
    for (const name of planted) {
      mkdirSync(within(directory, name));
      writeFileSync(join(within(directory, name), "theirs"), "precious");
    }
    symlinkSync("/etc/passwd", within(directory, "held-link"));
    expect(await lock(directory)).toBe("mine");
    expect(names(directory)).toEqual([...AT_REST, ...planted, "held-link"].sort());
    for (const name of planted) expect(readFileSync(join(within(directory, name), "theirs"), "utf8")).toBe("precious");
  });
});

describe("a baton", () => {
  it("says who holds the lock, and a queue in the process stands before it", async () => {
    using directory = await locked();
    const order: string[] = [];
    const turn = (name: string): Promise<void> =>
      withDirectoryLock(directory.path, { clock: systemClock }, async (held) => {
        order.push(`${name} in`);
        expect(held.isStillHeld()).toBe(true);
        const [holder] = names(directory).flatMap((entry) => holderOf(entry) ?? []);
        expect(holder?.life?.pid).toBe(process.pid);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} out`);
      });
    await Promise.all([turn("one"), turn("two"), turn("three")]);
    expect(order).toEqual(["one in", "one out", "two in", "two out", "three in", "three out"]);
  });

  it("is the same for two spellings of one path", async () => {
    using directory = await locked();
    const link = `${directory.path}-link`;
    symlinkSync(directory.path, link);
    let inside = 0;
    const turn = (path: string): Promise<void> =>
      withDirectoryLock(path, { clock: systemClock }, async () => {
        expect(++inside).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
      });
    await Promise.all([directory.path, link, join(directory.path, ".", "."), link].map(turn));
    rmSync(link);
  });

  it("of a thread that is gone is taken over at once", async () => {
    using directory = await locked();
    renameSync(within(directory, "free"), within(directory, deadHolder()));
    const clock = leapingClock();
    expect(await lock(directory, clock)).toBe("mine");
    expect(clock.ms).toBeLessThan(2_000);
  });

  it("of somebody whom nobody here can look for is taken over once silent, whatever the clock on the wall says", async () => {
    using directory = await locked();
    const token = "c".repeat(24);
    renameSync(within(directory, "free"), within(directory, strangeHolder(token)));
    // Its last heartbeat is of an hour to come: since then the clock went back.
    mkdirSync(within(directory, heartbeatName(token)));
    execFileSync("touch", ["-d", "+1 hour", within(directory, heartbeatName(token))]);
    const clock = leapingClock();
    expect(await lock(directory, clock)).toBe("mine");
    expect(clock.ms).toBeGreaterThan(5_000);
    expect(clock.ms).toBeLessThan(15_000);
    expect(names(directory)).toEqual(AT_REST);
  });

  it("is not taken from a holder that shows that it lives, however long it takes", async () => {
    using directory = await locked();
    const token = "d".repeat(24);
    renameSync(within(directory, "free"), within(directory, strangeHolder(token)));
    mkdirSync(within(directory, heartbeatName(token)));
    let beats = 0;
    const clock = leapingClock();
    const watched: Clock = {
      ...clock,
      monotonic: () => {
        // It works for half a minute, then gives the lock back.
        execFileSync("touch", ["-d", `@${++beats}`, within(directory, heartbeatName(token))]);
        if (beats === 60) renameSync(within(directory, strangeHolder(token)), within(directory, "free"));
        return clock.monotonic();
      },
    };
    expect(await lock(directory, watched)).toBe("mine");
    expect(clock.ms).toBeGreaterThan(29_000);
  });

  it("that others hold for a minute is given up, by name, and nothing is taken", async () => {
    using directory = await locked();
    const token = "e".repeat(24);
    const held = strangeHolder(token);
    renameSync(within(directory, "free"), within(directory, held));
    mkdirSync(within(directory, heartbeatName(token)));
    let beats = 0;
    const clock = leapingClock();
    const watched: Clock = {
      ...clock,
      monotonic: () => {
        execFileSync("touch", ["-d", `@${++beats}`, within(directory, heartbeatName(token))]);
        return clock.monotonic();
      },
    };
    const error = await jobErrorFrom(() => lock(directory, watched));
    expect(error).toMatchObject({ code: "LOCK_UNAVAILABLE", file: directory.path });
    expect(error?.message).toContain(`now process ${process.pid}, held it for 6`);
    expect(names(directory)).toContain(held);
  });
});

it("a holder that works for more than a second shows that it lives, and leaves nothing behind", async () => {
  using directory = await locked();
  await withDirectoryLock(directory.path, { clock: systemClock }, async () => {
    await expect.poll(() => names(directory).join(), { timeout: 120_000 }).toContain("beat-");
    const [name = ""] = names(directory).filter((entry) => entry.startsWith("beat-"));
    const first = lstatSync(within(directory, name)).mtimeMs;
    await expect.poll(() => lstatSync(within(directory, name)).mtimeMs, { timeout: 120_000 }).not.toBe(first);
  });
  expect(names(directory)).toEqual(AT_REST);
});
