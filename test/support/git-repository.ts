import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The surroundings in which tests run git: none of the user's own settings, no prompt, one identity. */
export const GIT_TEST_ENV = {
  PATH: process.env["PATH"],
  HOME: join(tmpdir(), "harness-wake-no-home"),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
};

const SETTINGS = ["user.name=Test", "user.email=test@example.net", "gc.auto=0", "maintenance.auto=false", "commit.gpgSign=false"];

/** Runs git in a directory and gives what it said, to the last byte. Throws when git refuses. */
export function runGitRaw(directory: string, ...args: readonly string[]): string {
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  const options = { cwd: directory, env: GIT_TEST_ENV, encoding: "utf8", stdio: "pipe", maxBuffer: 64 * 1024 * 1024 } as const;
  return execFileSync("git", [...settings, ...args], options);
}

/** Runs git in a directory and gives what it said, without the line break at its end. */
export function runGit(directory: string, ...args: readonly string[]): string {
  return runGitRaw(directory, ...args).trim();
}

/** A real git repository in a temp directory. */
export interface GitRepository {
  readonly directory: string;
  git(...args: readonly string[]): string;
  /** Writes a file into the work tree, its directories too. */
  write(path: string, text: string): void;
  /** Commits everything in the work tree. */
  commitAll(message?: string): string;
}

/** The repositories of one test, removed with it. */
export class GitSandbox {
  readonly root = mkdtempSync(join(tmpdir(), "harness-wake-git-"));
  #count = 0;

  /** An empty repository without a commit, on the branch `main`. */
  init(): GitRepository {
    const directory = this.#nextDirectory();
    mkdirSync(directory);
    runGit(directory, "init", "--quiet", "-b", "main");
    return repositoryAt(directory);
  }

  /** A bare repository, to be a remote. */
  initBare(): string {
    const directory = this.#nextDirectory();
    mkdirSync(directory);
    runGit(directory, "init", "--quiet", "--bare", "-b", "main");
    return directory;
  }

  clone(remote: string, ...options: readonly string[]): GitRepository {
    const directory = this.#nextDirectory();
    // A file:// address, since git takes a plain path's --depth for nothing.
    runGit(this.root, "clone", "--quiet", ...options, `file://${remote}`, directory);
    return repositoryAt(directory);
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  #nextDirectory(): string {
    return join(this.root, `repository-${this.#count++}`);
  }
}

function repositoryAt(directory: string): GitRepository {
  const git = (...args: readonly string[]): string => runGit(directory, ...args);
  return {
    directory,
    git,
    write: (path, text) => {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    },
    commitAll: (message = "A change") => {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "-m", message);
      return git("rev-parse", "HEAD");
    },
  };
}
