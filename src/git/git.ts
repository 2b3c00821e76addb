/** What a git command left behind. `exit_code` is null where git could not be run at all, or was ended at its deadline. */
export interface GitResult {
  readonly exit_code: number | null;
  readonly stdout: string;
  /** The same as it came: file contents may not be UTF-8. */
  readonly stdoutBytes: Buffer;
  /** Without credentials. */
  readonly stderr: string;
}

/** Runs git commands in one directory. A refusal is a result, never an exception. */
export interface Git {
  run(args: readonly string[], input?: string): Promise<GitResult>;
}

export interface GitOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A command that says nothing for this long is hanging: on a dead network, or on a prompt that we could not shut. */
const SILENCE_MS_MAX = 30_000;

/** And no command may take longer than this, however much it talks. A clone's worth of fetching fits. */
const COMMAND_MS_MAX = 300_000;

/**
 * Fetching leaves nothing behind but objects and the ref that it names. It says how far it is, which git keeps to itself
 * away from a terminal: else a fetch of much over a slow line would be taken for hanging, today and at every later try.
 */
export const FETCH: readonly string[] = [
  "fetch",
  "--progress",
  "--no-tags",
  "--no-auto-maintenance",
  "--no-recurse-submodules",
  "--no-write-fetch-head",
];

/** Of the user's own `GIT_*` variables, those that say how to reach a remote and how git is set up. */
const PASSED_ON = [
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_SSH_VARIANT",
  "GIT_ASKPASS",
  "SSH_ASKPASS",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CONFIG_COUNT",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "GIT_SSL_CERT",
  "GIT_SSL_KEY",
  "GIT_SSL_NO_VERIFY",
  "GIT_TRACE",
  "GIT_CURL_VERBOSE",
];
const CONFIG_PAIR = /^GIT_CONFIG_(?:KEY|VALUE)_\d+$/;

/** Ours, over the user's: no prompt can hang a tick, messages are in the language that we read. */
const IMPOSED = { GIT_TERMINAL_PROMPT: "0", GCM_INTERACTIVE: "never", GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" };

/** No hook of the user's runs, nothing needs a signing key, no maintenance starts behind our back. */
const CONFIG = ["core.hooksPath=/dev/null", "commit.gpgSign=false", "gc.auto=0", "maintenance.auto=false"];

/** Git through simple-git, which loads when the first command runs. */
export function openGit({ directory, env }: GitOptions): Git {
  const inherited = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || isPassedOn(name)));
  const childEnv = { ...inherited, ...IMPOSED };
  return {
    async run(args, input) {
      const { simpleGit } = await import("simple-git");
      let exitCode: number | null = null;
      let stdoutBytes = Buffer.alloc(0);
      let stderr = "";
      try {
        const git = simpleGit({
          baseDir: directory,
          maxConcurrentProcesses: 1,
          config: CONFIG,
          timeout: { block: SILENCE_MS_MAX },
          abort: AbortSignal.timeout(COMMAND_MS_MAX),
          allowEnvironment: Object.keys(childEnv),
          unsafe: USERS_OWN_SETTINGS,
          input: () => input,
          errors: (error, result) => {
            exitCode = result.exitCode;
            stdoutBytes = Buffer.concat(result.stdOut);
            stderr = Buffer.concat(result.stdErr).toString();
            return error !== undefined && exitCode === 0 ? error : undefined;
          },
        });
        const stdout = await git.env(childEnv).raw([...args]);
        return { exit_code: exitCode, stdout, stdoutBytes, stderr: withoutCredentials(stderr) };
      } catch (error) {
        return { exit_code: null, stdout: "", stdoutBytes, stderr: withoutCredentials(stderr || String(error)) };
      }
    },
  };
}

/** simple-git refuses these for programs that pass on what strangers typed; ours come from the user's own environment. */
const USERS_OWN_SETTINGS = {
  allowUnsafeSshCommand: true,
  allowUnsafeAskPass: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeHooksPath: true,
  allowUnsafeEditor: true,
  allowUnsafePager: true,
};

function isPassedOn(name: string): boolean {
  return PASSED_ON.includes(name) || CONFIG_PAIR.test(name);
}

/** A remote's URL may hold a token, and git quotes URLs when it complains. */
export function withoutCredentials(text: string): string {
  // Up to the last @ before the path: a password may hold one, and git takes it for part of the password too.
  return text.replace(/:\/\/[^/\s]*@/g, "://");
}

/** The line of git's complaint that says what is wrong. */
export function complaintOf(result: GitResult): string {
  const lines = result.stderr.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? `git ended with ${result.exit_code}`;
}
