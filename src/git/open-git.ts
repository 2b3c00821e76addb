import { spawnSync } from "node:child_process";
import { commonDirectoryAt } from "./common-directory.ts";
import type { Git, GitDialogue, RunOptions } from "./git.ts";
import { type EnvironmentVariables, gitEnvironment, IMPOSED_CONFIG } from "./git-environment.ts";
import { GitProcess } from "./git-process.ts";
import { whyUnusable } from "./git-version.ts";
import { withoutCredentials } from "./git-words.ts";

/** How long is waited, in milliseconds. */
export interface GitTimeouts {
  /** A command that says nothing for this long is hanging, on a dead network for instance. */
  readonly silenceMs: number;
  /** The same for a push: a forge's hooks check what it brings before they answer. */
  readonly pushSilenceMs: number;
  /** No command may take longer, however much it talks. A clone's worth of fetching fits. */
  readonly totalMs: number;
}

const TIMEOUTS: GitTimeouts = { silenceMs: 30_000, pushSilenceMs: 90_000, totalMs: 300_000 };

/** More than any command that we run has to say; a listing of a million names fits. */
const STDOUT_BYTES_MAX = 128 * 1024 * 1024;

export interface GitOptions {
  readonly directory: string;
  readonly env: EnvironmentVariables;
  /** Leaves out the settings that the environment brings (`GIT_CONFIG_*`): those of whoever calls, not of the repository. */
  readonly withoutConfigEnvironment?: boolean;
  /**
   * Where objects, refs and configuration are. By default where they lie for the work tree at `directory`, whatever is
   * written into its git directory from now on. Null for commands that name another repository: git finds its own.
   */
  readonly commonDirectory?: string | null;
  readonly timeouts?: Partial<GitTimeouts>;
}

export function openGit({ directory, env, withoutConfigEnvironment = false, timeouts = {}, ...options }: GitOptions): Git {
  const { silenceMs, pushSilenceMs, totalMs } = { ...TIMEOUTS, ...timeouts };
  const { commonDirectory = commonDirectoryAt(directory) } = options;
  const childEnv = {
    ...gitEnvironment(env, { withConfig: !withoutConfigEnvironment }),
    ...(commonDirectory && { GIT_COMMON_DIR: commonDirectory }),
  };
  const settings = IMPOSED_CONFIG.flatMap((setting) => ["-c", setting]);
  const start = (args: readonly string[], options: RunOptions = {}): GitProcess =>
    new GitProcess(settings, args, {
      directory,
      env: { ...childEnv, ...options.env },
      limits: { silenceMs: options.waitsForHooks ? pushSilenceMs : silenceMs, totalMs },
    });
  return {
    async run(args, options = {}) {
      const unusable = await whyUnusable(directory, env, silenceMs);
      if (unusable !== undefined) return { exit_code: null, stdout: "", stderr: "", broken: unusable };
      return start(args, options).outcome(options.input ?? "", STDOUT_BYTES_MAX);
    },
    async converse(args) {
      const unusable = await whyUnusable(directory, env, silenceMs);
      return unusable === undefined ? start(args) : silentDialogue(unusable);
    },
    runNow(args, input) {
      const { status, signal, error, stdout, stderr } = spawnSync("git", [...settings, ...args], {
        cwd: directory,
        env: childEnv,
        input,
        maxBuffer: STDOUT_BYTES_MAX,
        timeout: silenceMs,
        killSignal: "SIGKILL",
        windowsHide: true,
      });
      const words = withoutCredentials(stderr?.toString() ?? "");
      if (status !== null) return { exit_code: status, stdout, stderr: words };
      const broken = `git ${args[0]} ${error?.message ?? `was killed (${signal})`}`;
      return { exit_code: null, stdout: stdout ?? Buffer.alloc(0), stderr: words, broken };
    },
  };
}

function silentDialogue(broken: string): GitDialogue {
  return {
    ask: () => undefined,
    line: async () => undefined,
    bytes: async () => undefined,
    skip: async () => false,
    end: async () => ({ exit_code: null, stdout: "", stderr: "", broken }),
  };
}
