import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "../support/git.ts";
import { median } from "./median.ts";

/** A program to be measured, as a whole process of this very Node. */
export interface Program {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Brings the world back to where the program expects it; not timed. */
  readonly before?: () => void;
  /** Throws when the program did not do what it is measured for; a fast program that does nothing proves nothing. */
  readonly check?: (stdout: string) => void;
}

export const CLI = join(import.meta.dirname, "../../dist/cli.cjs");

export function floorProgram(name: string): string {
  return join(import.meta.dirname, "floor", name);
}

const PEAK_MEMORY_HOOK = join(import.meta.dirname, "peak-memory.cjs");

/** A scratch directory, and the way processes are run in it. */
export class Machine {
  readonly scratch: string;

  /** On a file system in memory an fsync costs nothing, and what is measured of durable writes means little. */
  constructor(parent: string = tmpdir()) {
    this.scratch = mkdtempSync(join(parent, "harness-wake-bench-"));
  }

  /** An empty git repository, as a fleet has one: what lies above it is nobody's business. */
  repository(name: string): string {
    const directory = join(this.scratch, name);
    git(this.scratch, "init", "-q", directory);
    return directory;
  }

  /**
   * The median wall time of each program, in milliseconds. They run in turn, A B A B …, so that a machine that slows down
   * slows all of them; each runs once before, unmeasured, to warm the disk's cache.
   */
  medianTimes(programs: readonly Program[], runs: number): number[] {
    const times = programs.map((program) => {
      this.#run(program, process.env);
      return [] as number[];
    });
    for (let run = 0; run < runs; run++) {
      programs.forEach((program, i) => {
        times[i]?.push(this.#run(program, process.env));
      });
    }
    return times.map(median);
  }

  /** The median peak memory of each program, in bytes: apart from the times, since looking takes some. */
  medianPeaks(programs: readonly Program[], runs: number): number[] {
    const peakFile = join(this.scratch, "peak-memory");
    const env = { ...process.env, NODE_OPTIONS: `--require=${PEAK_MEMORY_HOOK}`, BENCH_PEAK_FILE: peakFile };
    const peaks = programs.map(() => [] as number[]);
    for (let run = 0; run < runs; run++) {
      programs.forEach((program, i) => {
        this.#run(program, env);
        peaks[i]?.push(Number(readFileSync(peakFile, "utf8")));
        rmSync(peakFile);
      });
    }
    return peaks.map(median);
  }

  /** Output goes to a file, so that no reader of ours competes with the program for the processor. */
  #run({ args, cwd, before, check }: Program, env: NodeJS.ProcessEnv): number {
    before?.();
    const outputFile = join(this.scratch, "stdout");
    const output = openSync(outputFile, "w");
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [...args], { cwd, env, stdio: ["ignore", output, "pipe"] });
    const tookMs = performance.now() - startedAt;
    closeSync(output);
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
    check?.(readFileSync(outputFile, "utf8"));
    return tookMs;
  }

  [Symbol.dispose](): void {
    rmSync(this.scratch, { recursive: true, force: true });
  }
}

/** A check that a tick over `jobs` jobs gave `count` rows the action that is measured. */
export function ticked(jobs: number, key: "wake_count" | "stop_count" | "delivered_count"): (stdout: string) => void {
  return (stdout) => {
    const summary = JSON.parse(stdout);
    if (summary.jobs.length !== jobs || summary[key] !== jobs) {
      throw new Error(`the tick was to answer ${key} ${jobs}; it answered ${summary[key]} of ${summary.jobs.length} rows`);
    }
  };
}

export function milliseconds(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
