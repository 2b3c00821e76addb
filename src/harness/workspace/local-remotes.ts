import { existsSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { listRemotes } from "../../git/remote.ts";
import type { Mount } from "../enclosure/mount.ts";
import type { Repository } from "./repository.ts";

/** What a repository runs for whoever pushes to it, or takes its orders from. */
const REMOTES_OWN = ["config", "hooks", "info"];

/**
 * Remotes that are directories of this machine: pushing there is writing there. A run may, like in the owner's repository
 * everywhere but in what git runs.
 */
export async function localRemoteMounts({ git, common, top }: Repository): Promise<readonly Mount[]> {
  const remotes = await listRemotes(git);
  if (remotes.state !== "found") return [];
  const urls = new Set(remotes.value.flatMap(({ pushUrls }) => pushUrls));
  return [...urls].flatMap((url): Mount[] => {
    const directory = repositoryAt(url, top ?? common);
    if (directory === undefined) return [];
    const owns = REMOTES_OWN.map((name) => join(directory, name)).filter((path) => existsSync(path));
    return [{ path: directory, access: "write" }, ...owns.map((path) => ({ path: realpathSync(path), access: "read" }) as const)];
  });
}

/** The git directory that an address names on this machine; undefined for every other address. */
function repositoryAt(url: string, base: string): string | undefined {
  const path = /^file:\/\/\//.test(url) ? pathIn(url) : /^(?:\/|\.{1,2}(?:\/|$))/.test(url) ? resolve(base, url) : undefined;
  if (path === undefined || !isDirectory(path)) return undefined;
  const inside = join(path, ".git");
  return realpathSync(isDirectory(inside) ? inside : path);
}

function pathIn(url: string): string | undefined {
  return URL.canParse(url) ? fileURLToPath(url) : undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
