import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";

/**
 * What git, and a program that runs it, sees of the machine in tests: nothing of the user's set-up, and no prompt. Programs
 * outside the test runner import this file too.
 */
export const GIT_ENV = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  TMPDIR: tmpdir(),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
} as const;

const SETTINGS = [
  "user.name=Test",
  "user.email=test@example.invalid",
  "gc.auto=0",
  "maintenance.auto=false",
  "commit.gpgSign=false",
];

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Runs git in a directory, with this text on stdin, and gives its stdout to the last byte. Throws where git refuses. */
export function gitOutput(directory: string, args: readonly string[], input = ""): string {
  return execFileSync("git", [...SETTINGS.flatMap((setting) => ["-c", setting]), ...args], {
    cwd: directory,
    env: GIT_ENV,
    encoding: "utf8",
    input,
    stdio: "pipe",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
}

/** Runs git in a directory and gives its stdout without the line break at its end. Throws where git refuses. */
export function git(directory: string, ...args: readonly string[]): string {
  return gitOutput(directory, args).trimEnd();
}
