import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { withDirectoryLock } from "../../src/store/directory-lock.ts";
import { type Disk, nodeDisk } from "../../src/store/disk.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import type { Found, JobEntry, Step } from "../../src/store/job-store.ts";
import { isBaton } from "../../src/store/lock/baton.ts";
import { jobText, TRAIN } from "../support/job-builder.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const FILE = `${TRAIN}.json`;

let directory: string;
let path: string;
beforeEach(() => {
  directory = tempDirectory();
  path = join(directory, FILE);
});
afterEach(() => chmodSync(directory, 0o755));

function storeOn(disk: Partial<Disk> = {}): FileJobStore {
  return new FileJobStore({ directory, displayName: "wake_jobs", clock: systemClock, disk: { ...nodeDisk, ...disk } });
}

async function scanned(store = storeOn()): Promise<readonly JobEntry[]> {
  return [...(await store.scan())];
}

function raiseTokens({ job }: Found): Step<number> {
  if (job === undefined) return { answer: 0 };
  const tokens_used = job.tokens_used + 1;
  return { answer: tokens_used, write: { job: { ...job, tokens_used }, note: "raise" } };
}

test.each([
  ["and came first", true],
  ["and died since", false],
])("a lock's directory that a rival removes while it is made, %s, is no error", async (_what, isMade) => {
  writeFileSync(path, jobText({ job_id: TRAIN }));
  let isFirst = true;
  const makeDirectory: Disk["makeDirectory"] = (fresh, access) => {
    nodeDisk.makeDirectory(fresh, access);
    if (!isFirst) return;
    isFirst = false;
    rmSync(fresh, { recursive: true });
    if (isMade) {
      nodeDisk.makeDirectory(join(directory, ".lock.d"), access);
      for (const name of [".gitignore", "free"]) writeFileSync(join(directory, ".lock.d", name), "");
    }
    throw Object.assign(new Error("gone"), { code: "ENOENT", syscall: "open" });
  };
  expect(await storeOn({ makeDirectory }).transact([TRAIN], raiseTokens)).toEqual(new Map([[TRAIN, { answer: 1 }]]));
  expect(readdirSync(directory).sort()).toEqual([".lock.d", FILE].sort());
});

test("a job whose text is still as it was seen is not parsed again", async () => {
  writeFileSync(path, jobText({ job_id: TRAIN }));
  const [seen] = await scanned();
  if (seen?.job === undefined) throw new Error("the job is there");
  const step = ({ job }: Found): Step<boolean> => ({ answer: job === seen.job });
  expect(await storeOn().transact([TRAIN], step, new Map([[TRAIN, seen]]))).toEqual(new Map([[TRAIN, { answer: true }]]));
  writeFileSync(path, jobText({ job_id: TRAIN, tokens_used: 1 }));
  expect(await storeOn().transact([TRAIN], step, new Map([[TRAIN, seen]]))).toEqual(new Map([[TRAIN, { answer: false }]]));
});

/** From then on the directory has a lock, and a faulty disk meets the job files first. */
function lockOnce(): Promise<void> {
  return withDirectoryLock(directory, { clock: systemClock }, async () => undefined);
}

/** What lies in the lock's directory beside what always does. */
function leavings(): string[] {
  return readdirSync(join(directory, ".lock.d")).filter((name) => name !== ".gitignore" && name !== "free");
}

describe("in the jobs directory only *.json regular files not starting with _ or . are jobs", () => {
  test("others are none, and are left alone", async () => {
    for (const name of ["_last_tick.json", ".hidden-0001.json", "README.md", "harbor-0001.json.bak", "harbor-0001.JSON"]) {
      writeFileSync(join(directory, name), "not a job");
    }
    mkdirSync(join(directory, "a-directory"));
    expect(await scanned()).toEqual([]);
    expect(readdirSync(directory)).toHaveLength(6);
  });

  const irregular: readonly [string, () => void][] = [
    ["a symlink to a job", () => symlinkSync(writtenBeside(), path)],
    ["a dangling symlink", () => symlinkSync("nowhere", path)],
    ["a symlink to itself", () => symlinkSync(FILE, path)],
    ["a directory", () => mkdirSync(path)],
    ["a FIFO, which is not waited for", () => execFileSync("mkfifo", [path])],
  ];

  function writtenBeside(): string {
    const beside = join(directory, "_beside.json");
    writeFileSync(beside, jobText());
    return beside;
  }

  test.each(irregular)("%s is an error on every road, and stays what it is", async (_what, make) => {
    make();
    const store = storeOn();
    const [entry] = await scanned(store);
    expect(entry?.error).toMatchObject({ code: "CORRUPT", file: `wake_jobs/${FILE}` });
    expect(entry?.error?.message).toContain("not a regular file");
    expect((await store.read(TRAIN))?.error).toMatchObject({ code: "CORRUPT" });
    expect((await store.transact([TRAIN], raiseTokens)).get(TRAIN)?.error).toMatchObject({ code: "CORRUPT" });
    expect(nodeDisk.stat(path)?.kind).not.toBe("file");
  });
});

describe("a file that cannot be read as a job is never rewritten", () => {
  const frame = Buffer.byteLength(jobText({ x_bulk: "" }));
  test.each<[string, Buffer, string]>([
    ["not UTF-8", Buffer.concat([Buffer.from('{"job_id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]), "CORRUPT"],
    ["Latin-1 in an otherwise good job", Buffer.from(jobText({ x_name: "café" }), "latin1"), "CORRUPT"],
    ["UTF-16 without a byte order mark", Buffer.from(jobText(), "utf16le"), "CORRUPT"],
    ["UTF-16 that ends within a character", Buffer.from(`\uFEFF${jobText()}`, "utf16le").subarray(0, -1), "CORRUPT"],
    ["2 MiB that are not UTF-8", Buffer.alloc(2 * 1024 * 1024, 0xff), "CORRUPT"],
    ["NULs", Buffer.alloc(4096), "CORRUPT"],
    ["5 MiB", Buffer.from(jobText({ x_bulk: "x".repeat(5 * 1024 * 1024 - frame) })), "TOO_LARGE"],
  ])("%s", async (_what, bytes, code) => {
    writeFileSync(path, bytes);
    expect((await scanned())[0]).toMatchObject({ job_id: null, error: { code, file: `wake_jobs/${FILE}` } });
    expect((await storeOn().transact([TRAIN], raiseTokens)).get(TRAIN)?.error).toMatchObject({ code });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("U+FFFD that is really in the file is no fault", async () => {
    writeFileSync(path, jobText({ x_name: "\uFFFD" }));
    expect((await scanned())[0]?.job).toMatchObject({ x_name: "\uFFFD" });
  });

  test("unreadable is IO, told with what to do", async () => {
    writeFileSync(path, jobText());
    const read = (): never => {
      throw Object.assign(new Error("EACCES"), { code: "EACCES", syscall: "open" });
    };
    const [entry] = await scanned(storeOn({ read }));
    expect(entry?.error).toMatchObject({ code: "IO", file: `wake_jobs/${FILE}` });
    expect(entry?.error?.message).toContain("check the owner, the group and the mode");
  });
});

test("a byte order mark and CRLF are read, and stay until the job moves", async () => {
  const text = `\uFEFF${jobText().replaceAll(",", ",\r\n")}`;
  writeFileSync(path, text);
  expect((await scanned())[0]?.job?.job_id).toBe(TRAIN);
  await storeOn().transact([TRAIN], () => ({ answer: undefined }));
  expect(readFileSync(path, "utf8")).toBe(text);
  await storeOn().transact([TRAIN], raiseTokens);
  expect(readFileSync(path, "utf8")).toMatch(/^\{\n {2}"attempt_count": 0,\n/);
});

test.each([
  ["little", (bytes: Buffer) => bytes],
  ["big", (bytes: Buffer) => bytes.swap16()],
])("UTF-16 with a byte order mark, %s end first, is read, and is UTF-8 when the job moves", async (_end, turn) => {
  writeFileSync(path, turn(Buffer.from(`\uFEFF${jobText({ x_name: "café" })}`, "utf16le")));
  expect((await scanned())[0]?.job).toMatchObject({ job_id: TRAIN, x_name: "café" });
  await storeOn().transact([TRAIN], raiseTokens);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ x_name: "café" });
});

describe("a job file has at most 4 MiB", () => {
  const fourMiB = 4 * 1024 * 1024;
  const frame = Buffer.byteLength(jobText({ x_bulk: "" }));

  test("and one of just that is read", async () => {
    writeFileSync(path, jobText({ x_bulk: "x".repeat(fourMiB - frame) }));
    expect(statSync(path).size).toBe(fourMiB);
    expect((await scanned())[0]?.job?.job_id).toBe(TRAIN);
  });

  test.each([fourMiB + 1, 2 ** 40])("one of %i bytes is TOO_LARGE without being read, and the others are read", async (size) => {
    writeFileSync(path, jobText());
    truncateSync(path, size);
    const other = "harbor-train-0002";
    writeFileSync(join(directory, `${other}.json`), jobText({ job_id: other }));
    const before = process.memoryUsage().rss;
    const [large, small] = await scanned();
    expect(large).toMatchObject({ job_id: null, error: { code: "TOO_LARGE", file: `wake_jobs/${FILE}` } });
    expect(large?.error?.message).toContain(`${size} bytes`);
    expect(small?.job_id).toBe(other);
    expect((await storeOn().read(TRAIN))?.error).toMatchObject({ code: "TOO_LARGE" });
    expect((await storeOn().transact([TRAIN], raiseTokens)).get(TRAIN)?.error).toMatchObject({ code: "TOO_LARGE" });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    expect(statSync(path).size).toBe(size);
  });
});

describe("what takes a job's place between the looking and the reading is not followed, nor waited for", () => {
  test.each<[string, () => void]>([
    ["a link to another job", () => symlinkSync(join(directory, "_beside.json"), path)],
    ["a pipe that nobody writes to", () => execFileSync("mkfifo", [path])],
    ["a directory", () => mkdirSync(path)],
  ])("%s", async (_what, make) => {
    writeFileSync(join(directory, "_beside.json"), jobText());
    writeFileSync(path, jobText());
    const entries = await storeOn().scan();
    unlinkSync(path);
    make();
    expect([...entries]).toMatchObject([{ error: { code: "CORRUPT", message: expect.stringContaining("not a regular file") } }]);
  });
});

test("a file that goes between listing and reading is no job any more, and no error", async () => {
  writeFileSync(path, jobText());
  const entries = await storeOn().scan();
  unlinkSync(path);
  expect([...entries]).toEqual([]);
});

/** Taking the lock and giving it back are renames too. */
function isOfTheBaton(call: keyof Disk, [from]: readonly unknown[]): boolean {
  return call === "rename" && isBaton(basename(String(from)));
}

describe("temp files", () => {
  beforeEach(lockOnce);

  test.each(["create", "flush", "rename"] as const)(
    "are gone after a full disk at %s, the job is as it was, and the others are written",
    async (call) => {
      const other = "harbor-train-0002";
      for (const id of [TRAIN, other]) writeFileSync(join(directory, `${id}.json`), jobText({ job_id: id }));
      const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: "write" });
      let calls = 0;
      const faulty = (...args: never[]): never => {
        if (!isOfTheBaton(call, args) && ++calls === 1) throw full;
        return Reflect.apply(nodeDisk[call], nodeDisk, args) as never;
      };
      const outcomes = await storeOn({ [call]: faulty }).transact([TRAIN, other], raiseTokens);
      // Flushes overlap, so either may be the first.
      const [failed = "", written] = outcomes.get(other)?.error ? [other, TRAIN] : [TRAIN, other];
      expect(outcomes.get(failed)?.error).toMatchObject({ code: "IO", file: `wake_jobs/${failed}.json` });
      expect(outcomes.get(failed)?.error?.message).toContain("the disk is full; free some space (ENOSPC)");
      expect(outcomes.get(written ?? "")).toEqual({ answer: 1 });
      expect(readFileSync(join(directory, `${failed}.json`), "utf8")).toBe(jobText({ job_id: failed }));
      expect(leavings()).toEqual([]);
    },
  );
});

test.each([0o644, 0o600, 0o664, 0o640])("a rewrite keeps the file's mode: %o", async (mode) => {
  writeFileSync(path, jobText());
  chmodSync(path, mode);
  await storeOn().transact([TRAIN], raiseTokens);
  expect(statSync(path).mode & 0o777).toBe(mode);
});

describe("a tick that changes nothing writes nothing", () => {
  test("not even the same text again", async () => {
    writeFileSync(path, jobText());
    await storeOn().transact([TRAIN], raiseTokens);
    const before = statSync(path, { bigint: true });
    const create = (): never => expect.fail("wrote");
    const same = ({ job }: Found): Step<null> => ({ answer: null, ...(job && { write: { job, note: "same" } }) });
    expect((await storeOn({ create }).transact([TRAIN], same)).get(TRAIN)).toEqual({ answer: null });
    expect(statSync(path, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
  });

  test("and takes no lock for a scan, so that a directory can be looked at that nobody may write", async () => {
    writeFileSync(path, jobText());
    const before = readdirSync(directory);
    await scanned();
    expect(readdirSync(directory)).toEqual(before);
  });
});

describe("somebody else who writes between the reading and the rename", () => {
  beforeEach(lockOnce);

  /** A store under whose writes the file changes, the first so many times. */
  function disturbed(times: number, disturb: (round: number) => void): FileJobStore {
    let round = 0;
    return storeOn({
      flush: async (descriptor) => {
        await nodeDisk.flush(descriptor);
        if (round++ < times) disturb(round);
      },
    });
  }

  test.each([1, 2, 3])("is not overwritten: the job is decided again on what they wrote (%i times)", async (times) => {
    writeFileSync(path, jobText());
    const store = disturbed(times, (round) => writeFileSync(path, jobText({ tokens_used: round * 100, x_theirs: true })));
    expect((await store.transact([TRAIN], raiseTokens)).get(TRAIN)).toEqual({ answer: times * 100 + 1 });
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ tokens_used: times * 100 + 1, x_theirs: true });
    expect(leavings()).toEqual([]);
  });

  test("after 4 tries is CONFLICT for that job, and the others are written", async () => {
    const other = "harbor-train-0002";
    for (const id of [TRAIN, other]) writeFileSync(join(directory, `${id}.json`), jobText({ job_id: id }));
    const theirs = (round: number): string => jobText({ tokens_used: round * 100 });
    let rounds = 0;
    const store = disturbed(100, (round) => {
      rounds = round;
      writeFileSync(path, theirs(round));
    });
    const outcomes = await store.transact([TRAIN, other], raiseTokens);
    expect(outcomes.get(TRAIN)?.error).toMatchObject({ code: "CONFLICT", file: `wake_jobs/${FILE}` });
    expect(outcomes.get(other)).toEqual({ answer: 1 });
    expect(readFileSync(path, "utf8")).toBe(theirs(rounds));
    expect(leavings()).toEqual([]);
  });

  test("and removes the file has it removed, not brought back", async () => {
    writeFileSync(path, jobText());
    const outcomes = await disturbed(1, () => unlinkSync(path)).transact([TRAIN], raiseTokens);
    expect(outcomes.get(TRAIN)).toEqual({ answer: 0 });
    expect(existsSync(path)).toBe(false);
  });

  test("and creates it first is found by the one who would have created it", async () => {
    const store = disturbed(1, () => writeFileSync(path, jobText({ tokens_used: 41 })));
    const create = ({ job }: Found): Step<string> => {
      if (job !== undefined) return { answer: `there, with ${job.tokens_used}` };
      return { answer: "created", write: { job: sample(), note: "create" } };
    };
    expect((await store.transact([TRAIN], create)).get(TRAIN)).toEqual({ answer: "there, with 41" });
  });

  function sample(): NonNullable<JobEntry["job"]> {
    return { ...JSON.parse(jobText({ event_receipts: [], lease: null })) };
  }
});

describe("a holder that lost its lock must not write", () => {
  beforeEach(lockOnce);

  /** What another process does that takes the lock over and lets it go again. */
  function stealLock(): void {
    const lock = join(directory, ".lock.d");
    const held = readdirSync(lock).find((name) => name.startsWith("held-")) ?? expect.fail("not held");
    renameSync(join(lock, held), join(lock, "free"));
  }

  function robbed(times: number): FileJobStore {
    let round = 0;
    return storeOn({
      flush: async (descriptor) => {
        await nodeDisk.flush(descriptor);
        if (round++ < times) stealLock();
      },
    });
  }

  test("it takes the lock again and decides again", async () => {
    writeFileSync(path, jobText());
    let asked = 0;
    const outcomes = await robbed(1).transact([TRAIN], (found) => {
      asked++;
      return raiseTokens(found);
    });
    expect(outcomes.get(TRAIN)).toEqual({ answer: 1 });
    expect(asked).toBe(2);
    expect(leavings()).toEqual([]);
  });

  test("and gives up with CONFLICT rather than write blind", async () => {
    writeFileSync(path, jobText());
    const outcomes = await robbed(100).transact([TRAIN], raiseTokens);
    expect(outcomes.get(TRAIN)?.error).toMatchObject({ code: "CONFLICT" });
    expect(readFileSync(path, "utf8")).toBe(jobText());
    expect(leavings()).toEqual([]);
  });

  test("nor bring back a temp file that whoever took the lock swept away", async () => {
    writeFileSync(path, jobText());
    let swept = 0;
    const store = storeOn({
      rename: (from, to) => {
        if (!isOfTheBaton("rename", [from]) && swept++ === 0) unlinkSync(from);
        nodeDisk.rename(from, to);
      },
    });
    expect((await store.transact([TRAIN], raiseTokens)).get(TRAIN)).toEqual({ answer: 1 });
    expect(JSON.parse(readFileSync(path, "utf8")).tokens_used).toBe(1);
  });
});

describe("when nothing can be decided at all", () => {
  test("a directory that is not there is CONFIG, and says what to do", async () => {
    rmSync(directory, { recursive: true });
    const store = storeOn();
    expect(await jobErrorFrom(() => scanned(store))).toMatchObject({ code: "CONFIG", file: "wake_jobs" });
    expect(await jobErrorFrom(() => store.transact([TRAIN], raiseTokens))).toMatchObject({ code: "CONFIG" });
    mkdirSync(directory);
  });

  test("a directory that is a file is CONFIG", async () => {
    rmSync(directory, { recursive: true });
    writeFileSync(directory, "");
    expect(await jobErrorFrom(() => scanned())).toMatchObject({ code: "CONFIG" });
  });
});

test("a directory whose flush the file system does not know is written all the same", async () => {
  writeFileSync(path, jobText());
  const flushDirectory = (): never => {
    throw Object.assign(new Error("EINVAL"), { code: "EINVAL", syscall: "fsync" });
  };
  expect((await storeOn({ flushDirectory }).transact([TRAIN], raiseTokens)).get(TRAIN)).toEqual({ answer: 1 });
});
