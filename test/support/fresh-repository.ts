import { execFileSync } from "node:child_process";
import { tempDirectory } from "./temp-directory.ts";

/** Nothing of the machine's own git set-up reaches a test. */
export const GIT_ENVIRONMENT = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } as const;

const CONFIG = [
  "user.name=Test",
  "user.email=test@example.invalid",
  "gc.auto=0",
  "maintenance.auto=false",
  "commit.gpgSign=false",
];

/** Runs git in a directory and gives its stdout. Throws where git refuses. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync("git", [...CONFIG.flatMap((setting) => ["-c", setting]), ...args], {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: directory, ...GIT_ENVIRONMENT },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** An empty git repository in a temp directory, with no commit and no remote. */
export function freshRepository(): string {
  const directory = tempDirectory();
  git(directory, "init", "-q", "-b", "main");
  return directory;
}

export function commitAll(directory: string, message = "state"): void {
  git(directory, "add", "-A");
  git(directory, "commit", "-q", "--allow-empty", "-m", message);
}
