import { spawn } from "node:child_process";
import type { Git } from "../../src/git/git.ts";
import { GIT_ENV } from "./git.ts";

/** Git without the 50 ms that simple-git waits after every command that prints nothing: for simulations of thousands of passes. */
export function plainGit(directory: string): Git {
  return {
    run: (args, input) =>
      new Promise((resolve, reject) => {
        const child = spawn("git", ["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", ...args], {
          cwd: directory,
          env: { ...GIT_ENV, LC_ALL: "C" },
        });
        const out: Buffer[] = [];
        const err: Buffer[] = [];
        child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
        child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
        child.once("error", reject).once("close", (exit_code) => {
          const stdoutBytes = Buffer.concat(out);
          resolve({ exit_code, stdout: stdoutBytes.toString(), stdoutBytes, stderr: Buffer.concat(err).toString() });
        });
        // A command that reads nothing may be gone before it is written to.
        child.stdin.on("error", () => undefined).end(input ?? "");
      }),
  };
}
