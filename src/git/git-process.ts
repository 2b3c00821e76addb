import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Patience, type PatienceLimits } from "../facts/patience.ts";
import { pauseBetween } from "../facts/pause.ts";
import { OWN_GROUP, signalGroup, startWithThisProcess } from "../facts/process-group.ts";
import { ByteQueue } from "./byte-queue.ts";
import { CappedText } from "./capped-text.ts";
import type { GitDialogue, GitResult } from "./git.ts";
import { withoutCredentials } from "./git-words.ts";

export interface GitProcessOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: PatienceLimits;
}

/** A hook that talks is heard to its end; so much of it is kept. */
const STDERR_BYTES_MAX = 64 * 1024;

/** Output that nobody has taken yet; git waits when it is more. */
const QUEUED_BYTES_MAX = 1024 * 1024;

/** Longer than any id, type and size. */
const LINE_BYTES_MAX = 64 * 1024;

/** How long git has to take its lock files away when it is told to end. */
const GRACE_MS = 2_000;

/** A process that git left in the background may hold on to its output; it is not waited for longer than this. */
const LINGER_MS = 1_000;

/**
 * One process of git, in a group of its own: whatever ends it early ends the transport too, and everything that the
 * transport started. It has no terminal, so neither ssh nor a signing program can wait there for a person.
 */
export class GitProcess implements GitDialogue {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #command: string;
  readonly #patience: Patience;
  readonly #stdout = new ByteQueue();
  readonly #stderr = new CappedText(STDERR_BYTES_MAX);
  readonly #closed = new AbortController();
  #exitCode: number | null = null;
  #broken: string | undefined;
  #wake: () => void = () => undefined;

  /** `args` are git's, after `settings`, which come before the command. */
  constructor(settings: readonly string[], args: readonly string[], { directory, env, limits }: GitProcessOptions) {
    this.#command = `git ${args.find((arg, i) => !arg.startsWith("-") && args[i - 1] !== "-C")}`;
    const { child, untrack } = startWithThisProcess(() =>
      spawn("git", [...settings, ...args], { cwd: directory, env, ...OWN_GROUP, stdio: "pipe" }),
    );
    this.#child = child;
    this.#patience = new Patience(limits, (limitMs) =>
      this.#break(`${this.#command} did not answer within ${limitMs / 1000} s and was ended`),
    );
    this.#follow(untrack);
  }

  #follow(untrack: () => void): void {
    const { stdin, stdout, stderr } = this.#child;
    // A command that reads nothing may be gone before it is written to.
    stdin.on("error", () => undefined);
    stdout.on("data", (chunk: Buffer) => {
      this.#patience.heard();
      this.#stdout.add(chunk);
      if (this.#stdout.length > QUEUED_BYTES_MAX) stdout.pause();
      this.#wake();
    });
    stderr.on("data", (chunk: Buffer) => {
      this.#patience.heard();
      this.#stderr.add(chunk);
    });
    this.#child.once("error", (error) => {
      this.#broken ??= `${this.#command} cannot be run: ${error.message}`;
    });
    this.#child.once("exit", (code, signal) => {
      this.#exitCode = code;
      if (signal !== null) this.#broken ??= `${this.#command} was killed (${signal})`;
      // What git itself left in the background after a good end, a credential cache for instance, is meant to stay.
      if (this.#broken !== undefined) signalGroup(this.#child, "SIGKILL");
      void pauseBetween(LINGER_MS, LINGER_MS, this.#closed.signal).then(() => {
        stdout.destroy();
        stderr.destroy();
      });
    });
    this.#child.once("close", () => {
      untrack();
      this.#patience.stop();
      this.#closed.abort();
      this.#wake();
    });
  }

  #break(why: string): void {
    if (this.#broken !== undefined || this.#isOver) return;
    this.#broken = why;
    signalGroup(this.#child, "SIGTERM");
    void pauseBetween(GRACE_MS, GRACE_MS, this.#closed.signal).then(() => signalGroup(this.#child, "SIGKILL"));
  }

  get #isOver(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Waits for more output; false where none will come. */
  async #hear(): Promise<boolean> {
    const before = this.#stdout.length;
    while (this.#stdout.length === before) {
      if (this.#isOver) return false;
      this.#patience.listen();
      this.#child.stdout.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#patience.rest();
    }
    return true;
  }

  /** Gives it this input and waits for its end. Output past the limit ends it. */
  async outcome(input: string, stdoutBytesMax: number): Promise<GitResult> {
    this.#child.stdin.end(input);
    while (await this.#hear()) {
      if (this.#stdout.length > stdoutBytesMax) this.#break(`${this.#command} printed more than ${stdoutBytesMax} bytes`);
    }
    return this.#result(this.#stdout.take(this.#stdout.length).toString());
  }

  ask(question: string): void {
    this.#child.stdin.write(question);
  }

  async line(): Promise<string | undefined> {
    for (;;) {
      const line = this.#stdout.takeLine();
      if (line !== undefined) return line.toString();
      if (this.#stdout.length > LINE_BYTES_MAX)
        this.#break(`${this.#command} printed a line of more than ${LINE_BYTES_MAX} bytes`);
      if (!(await this.#hear())) return undefined;
    }
  }

  async bytes(count: number): Promise<Buffer | undefined> {
    while (this.#stdout.length < count) if (!(await this.#hear())) return undefined;
    return this.#stdout.take(count);
  }

  async skip(count: number): Promise<boolean> {
    for (let missing = count; ; ) {
      missing -= this.#stdout.take(missing).length;
      if (missing === 0) return true;
      if (!(await this.#hear())) return false;
    }
  }

  async end(): Promise<GitResult> {
    this.#child.stdin.end();
    do this.#stdout.take(this.#stdout.length);
    while (await this.#hear());
    return this.#result("");
  }

  #result(stdout: string): GitResult {
    const stderr = withoutCredentials(this.#stderr.toString());
    if (this.#broken !== undefined) return { exit_code: null, stdout, stderr, broken: this.#broken };
    return { exit_code: this.#exitCode, stdout, stderr };
  }
}
