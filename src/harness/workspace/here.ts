import { realpathSync } from "node:fs";
import { ioError } from "../../errors/io-error.ts";
import { mendGitLinks, readGitLinks } from "./git-links.ts";
import { gitMounts } from "./git-mounts.ts";
import type { Repository } from "./repository.ts";
import type { Workspace } from "./workspace.ts";

/**
 * The checkout itself as a run's workspace: it works on what lies there, beside its owner and other runs, and what it leaves
 * is left. `repository` is undefined outside of one. Throws JobError IO where the directory is gone.
 */
export async function openHere(repository: Repository | undefined, directory: string): Promise<Workspace> {
  let place: string;
  try {
    place = realpathSync(directory);
  } catch (cause) {
    throw ioError(directory, cause);
  }
  const checkout = { path: repository?.top ?? place, access: "write" } as const;
  if (repository === undefined)
    return { directory: place, mounts: [checkout], close: async () => ({ state: "left", warnings: [] }) };
  const links = readGitLinks({ tree: checkout.path, own: repository.own, common: repository.common });
  return {
    directory: place,
    mounts: [checkout, ...(await gitMounts(repository, repository.own))],
    close: async () => ({ state: "left", warnings: mendGitLinks(links) }),
  };
}
