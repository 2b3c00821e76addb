import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDirectory } from "./temp-directory.ts";

/** Writes a shell script that can be run, and gives its path. */
export function writeScript(path: string, body: string): string {
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}

/** The search path with a directory before it in which `git` is this script; `$GIT` in it is the real one. */
export function pathWithGit(body: string): string {
  const path = process.env["PATH"] ?? "";
  const real = path
    .split(":")
    .map((directory) => join(directory, "git"))
    .find((file) => existsSync(file));
  if (real === undefined) throw new Error("there is no git to stand in for");
  const bin = tempDirectory();
  writeScript(join(bin, "git"), `GIT=${real}\n${body}`);
  return `${bin}:${path}`;
}

/** Of a git command line the command, in shell: `$command`. */
export const FIND_COMMAND = `command=
for arg in "$@"; do
  case "$skip$arg" in -c|-C) skip=1 ;; 1*) skip= ;; -*) ;; *) command=$arg; break ;; esac
done`;
