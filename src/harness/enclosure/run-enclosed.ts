import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { type Clock, systemClock } from "../../facts/clock.ts";
import { randomToken } from "../../facts/ids.ts";
import { type Pause, pauseBetween } from "../../facts/pause.ts";
import type { Cage, EnclosedProgram, Enclosure } from "./enclosure.ts";
import { MARK_VARIABLE } from "./marked-cage.ts";

export interface EnclosedCommand extends EnclosedProgram {
  /** The whole environment of the run; nothing of the worker's own is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed. */
  readonly stdin: string;
  /** Called with each piece as it comes, never after `ended`. They must not throw. */
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
}

export type RunEnd =
  | { readonly state: "ended"; readonly exit_code: number | null; readonly signal: NodeJS.Signals | null }
  /** Stopped by us, for the first reason that was given. `by` says what it took; `survived`: something is still there. */
  | { readonly state: "stopped"; readonly why: string; readonly by: "asked" | "killed" | "survived" }
  /** No such program, an argument too long, no process left: nothing of it ever ran. */
  | { readonly state: "not_started"; readonly message: string };

export interface RunTiming {
  readonly clock: Pick<Clock, "monotonic">;
  readonly pause: Pause;
}

const SYSTEM_TIMING: RunTiming = { clock: systemClock, pause: pauseBetween };

/** Asked to end, a run may take this long before it is killed (contract §11). */
export const GRACE_MS = 10_000;

/** Between two looks at whether a run that was asked to end has ended. */
const LOOK_PAUSE_MS = 20;

/** The kernel ends what was killed within moments, but for a process that hangs in a device. */
const DEATH_MS_MAX = 5_000;

/** What escaped its enclosure may hold our end of a pipe open; everything that a run wrote is there long before. */
const DRAIN_MS_MAX = 1_000;

/** Timers take no longer than some weeks; a run without a deadline looks at its clock this often. */
const WATCH_PAUSE_MS_MAX = 3_600_000;

/** Starts a command in a fresh cage. It must be called on the main thread: namespaces die with the thread that made them. */
export function runEnclosed(enclosure: Pick<Enclosure, "cage">, command: EnclosedCommand, timing = SYSTEM_TIMING): EnclosedRun {
  return new EnclosedRun(enclosure, command, timing);
}

/** One command in its cage, from its start until nothing of it is left. */
export class EnclosedRun {
  /** Settles when everything that the command started is gone, as far as the enclosure can tell. Never rejects. */
  readonly ended: Promise<RunEnd>;
  readonly #timing: RunTiming;
  readonly #cage: Cage;
  readonly #over = new AbortController();
  readonly #givenUp = Promise.withResolvers<Exit>();
  #watch = new AbortController();
  #stopAtMs = Number.POSITIVE_INFINITY;
  #whyAtDeadline = "";
  #stopping: { readonly why: string; readonly done: Promise<"asked" | "killed" | "survived"> } | undefined;
  /** A second request to stop shortens the grace of the first. */
  #killAtMs = Number.POSITIVE_INFINITY;

  constructor(enclosure: Pick<Enclosure, "cage">, command: EnclosedCommand, timing: RunTiming) {
    this.#timing = timing;
    const mark = randomToken();
    this.#cage = enclosure.cage(mark);
    this.ended = this.#live(command, mark);
  }

  /** Stops the run at this moment of the monotonic clock, in milliseconds. A later call moves it, also further away. */
  stopBy(atMs: number, why: string): void {
    this.#stopAtMs = atMs;
    this.#whyAtDeadline = why;
    this.#watch.abort();
    this.#watch = new AbortController();
  }

  /** Asks everything inside to end; what is left after the grace is killed. Called again it can shorten the grace only. */
  stop(why: string, graceMs = GRACE_MS): void {
    if (this.#over.signal.aborted) return;
    this.#killAtMs = Math.min(this.#killAtMs, this.#timing.clock.monotonic() + graceMs);
    this.#stopping ??= { why, done: this.#askThenKill() };
  }

  async #live(command: EnclosedCommand, mark: string): Promise<RunEnd> {
    const started = start(this.#cage, command, mark);
    if (typeof started === "string") return this.#neverLived(started);
    started.exited.then(() => this.#over.abort());
    this.#watchDeadline();
    const exit = await Promise.race([started.exited, this.#givenUp.promise]);
    if (typeof exit === "string") return this.#neverLived(exit);
    const by = await this.#stopping?.done;
    await this.#cage.close();
    await drained(started);
    if (this.#stopping !== undefined && by !== undefined) return { state: "stopped", why: this.#stopping.why, by };
    return { state: "ended", ...exit };
  }

  async #neverLived(message: string): Promise<RunEnd> {
    await this.#cage.close();
    return { state: "not_started", message };
  }

  async #watchDeadline(): Promise<void> {
    while (!this.#over.signal.aborted && this.#stopping === undefined) {
      const leftMs = Math.min(this.#stopAtMs - this.#timing.clock.monotonic(), WATCH_PAUSE_MS_MAX);
      if (leftMs <= 0) return this.stop(this.#whyAtDeadline);
      await this.#timing.pause(leftMs, leftMs, AbortSignal.any([this.#watch.signal, this.#over.signal]));
    }
  }

  async #askThenKill(): Promise<"asked" | "killed" | "survived"> {
    let isAsked = false;
    while (this.#timing.clock.monotonic() < this.#killAtMs) {
      isAsked ||= this.#cage.ask();
      if ((isAsked || this.#over.signal.aborted) && this.#cage.isEmpty()) {
        this.#cage.release();
        return "asked";
      }
      await this.#timing.pause(LOOK_PAUSE_MS, LOOK_PAUSE_MS);
    }
    return this.#killAll();
  }

  async #killAll(): Promise<"killed" | "survived"> {
    const giveUpAtMs = this.#timing.clock.monotonic() + DEATH_MS_MAX;
    while (!(this.#over.signal.aborted && this.#cage.isEmpty())) {
      this.#cage.killAll();
      await this.#timing.pause(LOOK_PAUSE_MS, LOOK_PAUSE_MS);
      if (this.#timing.clock.monotonic() < giveUpAtMs) continue;
      this.#givenUp.resolve({ exit_code: null, signal: "SIGKILL" });
      return "survived";
    }
    return "killed";
  }
}

interface Exit {
  readonly exit_code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  /** How it ended, or why it never began. */
  readonly exited: Promise<Exit | string>;
  /** When nobody holds its output open any more. */
  readonly closed: Promise<void>;
}

/** Starts the program in its cage; or says why it cannot. */
function start(cage: Cage, command: EnclosedCommand, mark: string): Started | string {
  const { cwd, env, stdin, onStdout, onStderr } = command;
  let child: ChildProcessWithoutNullStreams;
  try {
    const [file, ...args] = cage.wrap(command);
    // A session of its own: it gets no terminal to write into, and no signal that was meant for the worker.
    child = spawn(file, args, { cwd, env: { ...env, [MARK_VARIABLE]: mark }, detached: true, stdio: "pipe" });
  } catch (error) {
    return String(error);
  }
  const exited = new Promise<Exit | string>((resolve) => {
    child.once("error", (error) => resolve(String(error)));
    child.once("exit", (exit_code, signal) => resolve({ exit_code, signal }));
  });
  const closed = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  child.stdout.on("data", onStdout).on("error", () => undefined);
  child.stderr.on("data", onStderr).on("error", () => undefined);
  // A program that reads nothing may be gone before it is written to.
  child.stdin.on("error", () => undefined).end(stdin);
  if (child.pid !== undefined) cage.entered(child.pid);
  return { child, exited, closed };
}

async function drained({ child, closed }: Started): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([closed, pauseBetween(DRAIN_MS_MAX, DRAIN_MS_MAX, timeout.signal)]);
  timeout.abort();
  child.stdout.destroy();
  child.stderr.destroy();
}
