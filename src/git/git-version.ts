import { type EnvironmentVariables, gitEnvironment } from "./git-environment.ts";

/**
 * Older ones do not know `safe.bareRepository`, without which a directory of a checkout can pass for a repository whose
 * settings run programs.
 */
const OLDEST = { major: 2, minor: 38 };
const OLDEST_NAME = `${OLDEST.major}.${OLDEST.minor}`;

const SEE = 'see whether "git version" works in';

/** What was found good, by search path. Only that is remembered: a git that failed may be mended meanwhile. */
const found = new Set<string>();

/**
 * Why git cannot be used here, and what to do: it is not there, too old, or does not answer. Undefined where it can be used;
 * asked once in the life of a process.
 */
export async function whyUnusable(directory: string, env: EnvironmentVariables, silenceMs: number): Promise<string | undefined> {
  const key = JSON.stringify([env["PATH"], env["GIT_EXEC_PATH"]]);
  if (found.has(key)) return undefined;
  try {
    const { simpleGit } = await import("simple-git");
    const environment = plainEnvironment(env);
    const git = simpleGit({
      baseDir: directory,
      timeout: { block: silenceMs },
      // Made for programs that pass on what strangers typed: it would refuse a user's EDITOR.
      allowEnvironment: Object.keys(environment),
      unsafe: { allowUnsafeAskPass: true, allowUnsafeEditor: true, allowUnsafePager: true, allowUnsafeSshCommand: true },
    });
    const { installed, major, minor, patch } = await git.env(environment).version();
    if (!installed) return `git cannot be found; install git ${OLDEST_NAME} or newer`;
    // simple-git reads 0.0 where there is no version in the answer.
    if (major === 0) return `git does not say its version; ${SEE} ${directory}`;
    if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor))
      return `git ${major}.${minor}.${patch} is too old; install git ${OLDEST_NAME} or newer`;
    found.add(key);
    return undefined;
  } catch (error) {
    return `git does not say its version (${firstLine(error)}); ${SEE} ${directory}`;
  }
}

/** Asking for the version needs none of git's own variables, and simple-git refuses some of them. */
function plainEnvironment(env: EnvironmentVariables): EnvironmentVariables {
  return Object.fromEntries(Object.entries(gitEnvironment(env, { withConfig: false })).filter(([name]) => !/^GIT_/i.test(name)));
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split("\n", 1)[0] || "it ended without a word";
}
