import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A program of this folder in a process of its own, on the sources as they are. Killed when its `using` block ends. */
export class ForkedProgram<Message> implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #received: Message[] = [];
  #wake = (): void => undefined;
  #isOver = false;

  /** `launcher` is a command that runs the command given to it as its arguments: `["nice"]`. */
  constructor(program: string | { readonly program: string; readonly launcher: readonly string[] }, ...args: readonly string[]) {
    const { program: file, launcher } = typeof program === "string" ? { program, launcher: [] } : program;
    const path = fileURLToPath(new URL(file, import.meta.url));
    const [execPath = process.execPath, ...execArgv] = launcher.length === 0 ? [] : [...launcher, process.execPath];
    this.#child = fork(path, args, { execPath, execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child.on("message", (message: Message) => {
      this.#received.push(message);
      this.#wake();
    });
    this.#exited = once(this.#child, "exit").then(() => {
      this.#isOver = true;
      this.#wake();
    });
  }

  tell(message: object | string): void {
    // A process that was killed on purpose cannot be told anything, which is then no fault.
    this.#child.send(message, () => undefined);
  }

  /** Its next message; undefined when it ended without one. */
  async hear(): Promise<Message | undefined> {
    while (this.#received.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#received.shift();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Stops it where it stands, and waits until it does. */
  async stop(): Promise<void> {
    this.signal("SIGSTOP");
    while (!/^\d+ \(.*\) T/.test(readFileSync(`/proc/${this.#child.pid}/stat`, "utf8"))) await setImmediate();
  }

  /** Kills it as a power cut would, and waits until it is gone. Gives the signal it died of. */
  async kill(): Promise<NodeJS.Signals | null> {
    this.signal("SIGKILL");
    return this.over();
  }

  /** Waits for its end. Gives the signal it died of. */
  async over(): Promise<NodeJS.Signals | null> {
    await this.#exited;
    return this.#child.signalCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
