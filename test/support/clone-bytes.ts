import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * What a git store may add to in somebody's clone: objects, and what the clone knows of the remote. Everything else, work
 * tree, index, config, HEAD, branches, stashes and rebases under way, is the user's.
 */
const SHARED = [".git/objects", ".git/refs/remotes", ".git/logs/refs/remotes", ".git/shallow"];

/** Every file of the user's in a clone, with its mode and bytes. */
export function cloneBytes(clone: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  const walk = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      const name = relative(clone, path);
      if (SHARED.includes(name)) continue;
      const { mode } = lstatSync(path);
      if (entry.isDirectory()) {
        // The clone of an empty repository has these only once it knows something of the remote.
        if (name !== ".git/logs" && name !== ".git/logs/refs") files[`${name}/`] = mode.toString(8);
        walk(path);
      } else {
        const bytes = entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "base64");
        files[name] = `${mode.toString(8)} ${name === ".git/packed-refs" ? ownRefs(bytes) : bytes}`;
      }
    }
  };
  walk(clone);
  return files;
}

function ownRefs(base64: string): string {
  return Buffer.from(base64, "base64")
    .toString()
    .split("\n")
    .filter((line) => !line.includes("refs/remotes/"))
    .join("\n");
}
