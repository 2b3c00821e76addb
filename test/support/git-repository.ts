import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git } from "./git.ts";
import { tempDirectory } from "./temp-directory.ts";

/** An empty git repository in a temp directory, on the branch `main`, with no commit and no remote. */
export function freshRepository(): string {
  const directory = tempDirectory();
  git(directory, "init", "-q", "-b", "main");
  return directory;
}

/** An empty bare repository, to be a remote. */
export function bareRepository(): string {
  const directory = tempDirectory();
  git(directory, "init", "-q", "--bare", "-b", "main");
  return directory;
}

/** A clone in a temp directory, `--depth 1` where that is given. */
export function cloneOf(remote: string, ...options: readonly string[]): string {
  const directory = tempDirectory();
  // A file:// address, since git ignores --depth for a plain path.
  git(directory, "clone", "-q", ...options, `file://${remote}`, ".");
  return directory;
}

/** Writes a file of a work tree, its directories too. */
export function writeIn(directory: string, path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

/** Commits everything in the work tree, or an empty commit where nothing changed. */
export function commitAll(directory: string, message = "state"): void {
  git(directory, "add", "-A");
  git(directory, "commit", "-q", "--allow-empty", "-m", message);
}

/** Gives a repository a new remote that holds these branches of it. Gives the remote's directory. */
export function addRemote(directory: string, name = "origin", ...refs: readonly string[]): string {
  const remote = bareRepository();
  git(directory, "remote", "add", name, remote);
  git(directory, "push", "-q", name, ...(refs.length > 0 ? refs : ["main"]));
  return remote;
}
