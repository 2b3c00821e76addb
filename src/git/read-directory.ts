import { descend } from "./committed-path.ts";
import type { Git } from "./git.ts";
import { ABSENT, failed, found, type Looked } from "./looked.ts";
import { askObjects } from "./objects.ts";
import { isRegularFile } from "./tree.ts";

/** The regular files of one directory of a commit whose names are wanted, each of at most `bytesMax`. */
export function readCommittedDirectory(
  git: Git,
  commit: string,
  directory: string,
  isWanted: (name: string) => boolean,
  bytesMax: number,
): Promise<Looked<ReadonlyMap<string, Buffer>>> {
  return askObjects(git, async (objects) => {
    const top = await objects.treeOfCommit(commit);
    if (top.state === "failed") return top;
    if (top.state === "absent") return failed(`this repository does not hold the commit ${commit}`);
    const descent = await descend(objects, top.value, directory);
    if (descent.state === "failed") return descent;
    if (descent.state === "obstacle" || descent.value.directory === "absent") return ABSENT;
    const wanted = [...descent.value.directory].filter(([name, entry]) => isRegularFile(entry) && isWanted(name));
    const files = await objects.files(
      wanted.map(([, { id }]) => id),
      bytesMax,
    );
    if (files.state === "failed") return files;
    return found(new Map(wanted.flatMap(([name], i) => (files.value[i] === undefined ? [] : [[name, files.value[i]] as const]))));
  });
}
