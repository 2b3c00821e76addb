import { delimiter, isAbsolute } from "node:path";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Variables that put another repository, or other objects, in the place of the one where git runs. Git itself sets many of
 * them for its hooks, and a tick may be started by a hook. What else the user has is passed on, but for keys of models.
 */
const RELOCATING = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_QUARANTINE_PATH",
  "GIT_NAMESPACE",
  "GIT_SHALLOW_FILE",
  "GIT_REPLACE_REF_BASE",
  "GIT_PREFIX",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_ATTR_SOURCE",
  "GIT_CONFIG",
];

/** Ours, over the user's. */
const IMPOSED = {
  // Nothing asks a person: a tick has none.
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_PAGER: "cat",
  // A path is a path, whatever characters it holds.
  GIT_LITERAL_PATHSPECS: "1",
  // What a commit holds is what its id says: nothing local stands in for it.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  GIT_OPTIONAL_LOCKS: "0",
  // Messages are in the language that we read.
  LC_ALL: "C",
};

/** Settings of every command, over those of every config file. */
export const IMPOSED_CONFIG: readonly string[] = [
  // Nothing that lies in a checkout runs: no hook, no monitor, no directory that only looks like a repository, no ext:: URL.
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "safe.bareRepository=explicit",
  "protocol.ext.allow=never",
  "submodule.recurse=false",
  // No work starts behind our back.
  "gc.auto=0",
  "maintenance.auto=false",
  "fetch.writeCommitGraph=false",
  // Words are read and shown without colour.
  "color.ui=false",
];

/** `GIT_CONFIG_COUNT`, `GIT_CONFIG_GLOBAL` and their like: settings that the environment brings. */
const CONFIG_VARIABLE = /^GIT_CONFIG(?:_|$)/i;

/** What opens a model's API is nothing to git, and to no program that git starts. */
const MODEL_KEY = /^(?:ANTHROPIC|CLAUDE_CODE|CODEX|CURSOR|OPENAI)_.*(?:KEY|TOKEN)$/i;

/** The environment of git's processes. `withConfig: false` leaves out the settings that the environment brings. */
export function gitEnvironment(env: EnvironmentVariables, { withConfig }: { readonly withConfig: boolean }) {
  const passed = Object.entries(env).filter(
    ([name]) => !RELOCATING.includes(name.toUpperCase()) && !MODEL_KEY.test(name) && (withConfig || !CONFIG_VARIABLE.test(name)),
  );
  const child: Record<string, string | undefined> = { ...Object.fromEntries(passed), ...IMPOSED };
  const path = outsidePath(env["PATH"]);
  if (path === "") delete child["PATH"];
  else child["PATH"] = path;
  const execPath = env["GIT_EXEC_PATH"];
  if (execPath !== undefined && !isAbsolute(execPath)) delete child["GIT_EXEC_PATH"];
  return child;
}

/**
 * The search path without its relative parts (`.`, `node_modules/.bin`, the empty one): git runs in the checkout, so they
 * would find programs that came with it.
 */
function outsidePath(path: string | undefined): string {
  return (path ?? "")
    .split(delimiter)
    .filter((part) => isAbsolute(part))
    .join(delimiter);
}
