import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatJob } from "../../src/job/file/format-job.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { git, gitOutput } from "./git.ts";
import { JOBS } from "./git-fleet.ts";
import { bareRepository, cloneOf } from "./git-repository.ts";

/** A bare repository that many clones share, as a forge keeps it. All that it says is read from its own files. */
export class GitRemote {
  readonly directory: string;

  /** With `files` on `main`; without any it is empty, and has no branch. */
  constructor(files: Readonly<Record<string, string>> = {}) {
    this.directory = bareRepository();
    // The reflog is the list of pushes that moved a branch. Over HTTP pushing must be allowed outright.
    for (const setting of ["core.logAllRefUpdates=always", "http.receivepack=true", "uploadpack.allowFilter=true"]) {
      this.git("config", ...(setting.split("=") as [string, string]));
    }
    if (Object.keys(files).length > 0) this.commit(files);
  }

  get url(): string {
    return `file://${this.directory}`;
  }

  git(...args: readonly string[]): string {
    return git(this.directory, ...args);
  }

  /** Somebody else's commit, made at the remote itself in one git process: no clone knows of it. A null takes a file out. */
  commit(files: Readonly<Record<string, string | null>>, { branch = "main", parent = this.head(branch) } = {}): string {
    const moves = Object.entries(files).map(([path, text]) =>
      text === null ? `D ${path}\n` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
    const from = parent === undefined ? "" : `from ${parent}\n`;
    const stream = `commit refs/heads/${branch}\ncommitter Somebody <somebody@example.net> 1796000000 +0000\ndata 4\nelse\n${from}${moves.join("")}`;
    gitOutput(this.directory, ["fast-import", "--quiet", "--force"], stream);
    return this.head(branch) ?? "";
  }

  /** The branch's head; undefined where there is no such branch. */
  head(branch = "main"): string | undefined {
    return this.git("for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`) || undefined;
  }

  /** What stands in a file at the branch's head; undefined where it does not. */
  text(path: string, branch = "main"): string | undefined {
    try {
      return gitOutput(this.directory, ["cat-file", "blob", `refs/heads/${branch}:${path}`]);
    } catch {
      return undefined;
    }
  }

  job(jobId: string, branch = "main", directory = JOBS): Job {
    const path = `${directory}/${jobId}.json`;
    return parseJob(this.text(path, branch) ?? "", jobId, path);
  }

  /** Every commit of the branch with its parents, the newest first. */
  history(branch = "main"): readonly { readonly commit: string; readonly parents: readonly string[] }[] {
    return this.git("rev-list", "--parents", `refs/heads/${branch}`)
      .split("\n")
      .map((line) => {
        const [commit = "", ...parents] = line.split(" ");
        return { commit, parents };
      });
  }

  /** How often the branch was moved since it was made, by whomever. */
  moves(branch = "main"): number {
    return readFileSync(join(this.directory, "logs/refs/heads", branch), "utf8").split("\n").length - 1;
  }

  messages(branch = "main"): readonly string[] {
    return this.git("log", "--format=%B%x00", `refs/heads/${branch}`)
      .split("\0")
      .map((message) => message.trim())
      .filter((message) => message !== "");
  }

  /** A hook of the remote's, as a forge's rules look from outside. */
  hook(name: "pre-receive" | "update" | "post-receive", script: string): void {
    const path = join(this.directory, "hooks", name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  /** A clone of it, `--depth 1` where that is given. */
  clone(...options: readonly string[]): string {
    return cloneOf(this.directory, ...options);
  }
}

/** Job files as a remote is given them. */
export function jobFiles(jobs: readonly Job[], directory = JOBS): Record<string, string> {
  return Object.fromEntries(jobs.map((job) => [`${directory}/${job.job_id}.json`, formatJob(job, job.job_id)]));
}
