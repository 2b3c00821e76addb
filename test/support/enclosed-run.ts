import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { RunEnd } from "../../src/harness/enclosure/run-enclosed.ts";
import type { EnclosedTask, WorkerLine } from "./enclosing-worker.ts";

const WORKER = fileURLToPath(new URL("enclosing-worker.ts", import.meta.url));
const BIN = fileURLToPath(new URL("bin/", import.meta.url));

/** The path of a tiny program that plays an agent. */
export function fakeAgent(name: string): string {
  return BIN + name;
}

/** A run in an enclosure, by a worker that is a process of its own, so that it can be killed. Killed when its block ends. */
export class WorkerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #exited: Promise<unknown>;
  out = "";
  err = "";
  bytes = 0;

  /** `launcher` runs the worker as somebody else. */
  constructor(task: EnclosedTask, launcher: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const [command = "", ...args] = [...launcher, process.execPath, WORKER];
    this.#child = spawn(command, args, {
      cwd: "/",
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#exited = once(this.#child, "close");
    const { stdin, stdout } = this.#child;
    if (stdin === null || stdout === null) throw new TypeError("pipes were asked for");
    this.#lines = createInterface(stdout)[Symbol.asyncIterator]();
    // The checkout may lie in the temp directory, which bubblewrap keeps from a run.
    const mounts = [{ path: BIN, access: "read" }, ...(task.mounts ?? [])];
    stdin.on("error", () => undefined).write(`${JSON.stringify({ ...task, mounts })}\n`);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  stop(graceMs: number): void {
    this.#child.stdin?.write(`${graceMs}\n`);
  }

  /** Reads on until the run has said this. Throws where it ends before. */
  async heard(text: string): Promise<void> {
    while (!this.out.includes(text)) {
      const line = await this.#next();
      if ("unavailable" in line || "end" in line) throw new Error(`no "${text}": ${JSON.stringify(line)} ${this.err}`);
    }
  }

  /** Reads on until the run has ended; or says why this enclosure does not work here. */
  async ended(): Promise<RunEnd | { readonly unavailable: string }> {
    for (;;) {
      const line = await this.#next();
      if ("unavailable" in line) return line;
      if (!("end" in line)) continue;
      this.bytes = line.bytes;
      return line.end;
    }
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #next(): Promise<WorkerLine> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the worker ended: ${this.err}`);
    const line: WorkerLine = JSON.parse(value);
    if ("out" in line) this.out += line.out;
    if ("err" in line) this.err += line.err;
    return line;
  }
}

/** The command lines of all processes that hold the mark. */
export function processesWith(mark: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return commandLine.includes(mark) ? [`${pid} ${commandLine}`] : [];
    } catch {
      return [];
    }
  });
}
