import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, relative, resolve } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import { z } from "../../json/zod.ts";
import type { Enclosure } from "../enclosure/enclosure.ts";
import { findProgram } from "../enclosure/find-program.ts";
import type { Mount } from "../enclosure/mount.ts";
import { defineTool } from "./define-tool.ts";
import { GitView, gitDirectoriesOf } from "./read-only-shell/git-view.ts";
import { judgeLine } from "./read-only-shell/judge-line.ts";
import { runCommand } from "./run-command.ts";
import { type Authority, failure, type Tool, type ToolResult } from "./tool.ts";

const TIMEOUT_SECONDS = 120;
const TIMEOUT_SECONDS_MAX = 600;

/** More than asking, killing and clearing up take; only a system that hangs needs it. */
const ENDING_MS_MAX = 20_000;

export interface ShellOptions {
  readonly workspace: string;
  readonly authority: Authority;
  readonly enclosure: Pick<Enclosure, "cage">;
  readonly env: Readonly<Record<string, string>>;
  /** What a command may write where the enclosure protects files. A read-only agent gets the same, to read. */
  readonly mounts: readonly Mount[];
}

/** The tool that runs a line of shell; for a read-only agent one that only reads (contract §12). */
export function shellTool(options: ShellOptions): Tool {
  return defineTool({
    name: "shell",
    description: `Runs a line of shell in the workspace, without input, and gives what it writes. ${
      options.authority === "read_only"
        ? "Only programs that read are run (git status, grep, find, sed -n and the like), with pipes, &&, || and ;. Nothing is expanded but file patterns."
        : "Everything that it started is ended with it."
    }`,
    input: z.strictObject({
      command: z.string().check(z.minLength(1)),
      timeout_seconds: z.optional(
        z.int().check(z.gte(1), z.lte(TIMEOUT_SECONDS_MAX), z.describe(`${TIMEOUT_SECONDS} where it is left out.`)),
      ),
    }),
    deadlineMs: ({ timeout_seconds: seconds = TIMEOUT_SECONDS }) => seconds * 1_000 + ENDING_MS_MAX,
    async act({ command, timeout_seconds: seconds = TIMEOUT_SECONDS }, signal) {
      if (command.includes("\0")) return failure("shell: the command holds a NUL character");
      const timeoutMs = seconds * 1_000;
      if (options.authority === "read_only") return runReading(options, command, timeoutMs, signal);
      const { workspace: cwd, enclosure, env, mounts } = options;
      const shell = findProgram("bash", env["PATH"]) ?? "sh";
      return runCommand(enclosure, { argv: [shell, "-c", command], cwd, env, mounts, timeoutMs }, signal);
    },
  });
}

/** Runs a line of which the policy says that it only reads. */
async function runReading(options: ShellOptions, line: string, timeoutMs: number, signal: AbortSignal): Promise<ToolResult> {
  const { workspace, enclosure, env, mounts } = options;
  const judged = judgeLine(line, workspace);
  if (judged.kind === "refused") return failure(`shell: refused, since this agent may only read: ${judged.why}`);
  requireLinksInside(workspace, judged.paths);
  const git = judged.usesGit ? gitDirectoriesOf(workspace) : undefined;
  const view = git === undefined ? undefined : new GitView(git);
  const readable = [...mounts.map(({ path }) => path), ...(view === undefined ? [] : [view.directory, view.objects])];
  try {
    return await runCommand(
      enclosure,
      {
        argv: ["sh", "-c", judged.script],
        cwd: workspace,
        env: { ...withoutOrders(env), PATH: outsidePath(env["PATH"], workspace), ...gitVariables(view, workspace) },
        mounts: readable.map((path) => ({ path, access: "read" })),
        timeoutMs,
      },
      signal,
    );
  } finally {
    view?.remove();
  }
}

/** Variables by which git and bash are told what to run. */
const ORDERS = /^(?:GIT_|BASH_FUNC_)|^(?:ENV|BASH_ENV|RIPGREP_CONFIG_PATH)$/;

function withoutOrders(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ORDERS.test(name)));
}

/** Git looks where it is told, and for nothing further: no configuration but the view's. */
function gitVariables(view: GitView | undefined, workspace: string): Readonly<Record<string, string>> {
  return {
    GIT_DIR: view?.directory ?? "/dev/null",
    GIT_WORK_TREE: workspace,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "false",
    GIT_NO_LAZY_FETCH: "1",
  };
}

/** The search path without what lies in the workspace, or would: programs there may be anything. */
function outsidePath(path: string | undefined, workspace: string): string {
  return (path ?? "")
    .split(delimiter)
    .filter((part) => isAbsolute(part) && isOutside(workspace, part))
    .join(delimiter);
}

/** Throws JobError USAGE where a path that a line names leads out of the workspace through a link. */
function requireLinksInside(workspace: string, paths: readonly string[]): void {
  for (const path of paths) {
    const place = realPathOf(resolve(workspace, path));
    if (place !== undefined && place !== "/dev/null" && isOutside(workspace, place)) {
      throw new JobError("USAGE", `${path} leads out of the workspace through a link`);
    }
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // It is not there, or is a revision: then the program finds nothing either.
    return undefined;
  }
}

function isOutside(workspace: string, path: string): boolean {
  return relative(workspace, path).split("/")[0] === "..";
}
