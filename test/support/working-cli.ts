import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { WorkerEvent } from "../../src/harness/worker/worker-event.ts";
import { GIT_ENV } from "./git.ts";
import { CLI } from "./run-cli.ts";

/** `harness-wake work` as a process of its own, and what it says as it says it. Killed when its `using` block ends. */
export class WorkingCli implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #lines: AsyncIterator<string>;
  readonly said: WorkerEvent[] = [];

  constructor(cwd: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
    this.#child = spawn(process.execPath, [CLI, "work", ...args], {
      cwd,
      env: { ...GIT_ENV, HOME: cwd, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#exited = once(this.#child, "exit");
    if (this.#child.stdout === null) throw new Error("the worker has no output");
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits until it says this; fails where it ends first. */
  async hear(event: WorkerEvent["event"]): Promise<WorkerEvent> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`the worker ended without a word of "${event}": ${JSON.stringify(this.said)}`);
      const heard: WorkerEvent = JSON.parse(value);
      this.said.push(heard);
      if (heard.event === event) return heard;
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its end; gives its exit code, null for one that a signal ended. */
  async over(): Promise<number | null> {
    for (let line = await this.#lines.next(); !line.done; line = await this.#lines.next()) this.said.push(JSON.parse(line.value));
    await this.#exited;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal("SIGKILL");
    await this.#exited;
  }
}
