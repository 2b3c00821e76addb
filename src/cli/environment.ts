import { fstatSync, readFileSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { errnoOf } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import { systemClock } from "../facts/clock.ts";
import { pauseBetween } from "../facts/pause.ts";
import {
  type EnvironmentVariables,
  environmentVariables,
  terminalColumns,
  workingDirectory,
} from "../facts/process-environment.ts";
import type { Seconds } from "../job/time.ts";

/** What a command may touch of the process it runs in. Tests hand in their own. */
export interface Environment {
  readonly cwd: string;
  readonly env: EnvironmentVariables;
  readonly stdoutIsTerminal: boolean;
  /** How many cells a line of stdout has, where that is a terminal or somebody says; undefined where it may be any. */
  columns(): number | undefined;
  /** Whether a person watches what is told there, who may be shown how far a long call is. */
  stderrIsTerminal(): boolean;
  /** Whether a person types there, who would be waited for. */
  stdinIsTerminal(): boolean;
  /** All bytes of standard input. */
  stdin(): Buffer;
  /** The machine's clock, whatever `--now` says. */
  now(): Seconds;
  /** Milliseconds that only ever grow. */
  monotonic(): number;
  /** Waits, or until told to stop. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** For programs: records, and nothing else. False where nobody reads it any more. Throws JobError IO where it cannot be written. */
  out(text: string): boolean;
  /** For people. */
  err(text: string): void;
  /** Says what a long call is at, to people who watch; undefined where nobody does. */
  readonly onProgress?: (what: string) => void;
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

export function processEnvironment(): Environment {
  return {
    cwd: workingDirectory(),
    env: environmentVariables(),
    now: systemClock.now,
    monotonic: systemClock.monotonic,
    pause: (ms, signal) => pauseBetween(ms, ms, signal),
    stdoutIsTerminal: isTerminal(STDOUT),
    columns: () => (isTerminal(STDOUT) ? terminalColumns() : undefined),
    stderrIsTerminal: () => isTerminal(STDERR),
    stdinIsTerminal: () => isTerminal(STDIN),
    stdin: () => readFileSync(STDIN),
    out: (text) => {
      const errno = writeAll(STDOUT, text);
      if (errno !== undefined && errno !== "EPIPE") {
        throw new JobError("IO", `standard output cannot be written (${errno}); what was decided is in the job files`);
      }
      return errno === undefined;
    },
    // Where stderr cannot be written there is nobody left to tell.
    err: (text) => void writeAll(STDERR, text),
  };
}

/** Asked in two steps because node:tty takes longer to load than the rest of a small tick. One that is closed is none. */
function isTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && isatty(descriptor);
  } catch {
    return false;
  }
}

/**
 * Writes synchronously, so that nothing is cut off when the process ends. Gives the system's name for what went wrong:
 * `ENOSPC`, or `EPIPE` where the reader has gone.
 */
function writeAll(descriptor: number, text: string): string | undefined {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno !== "EAGAIN") return errno ?? String(error);
      // The pipe is full: give its reader a millisecond.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return undefined;
}
