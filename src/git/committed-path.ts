import type { Git } from "./git.ts";
import { ABSENT, failed, found, type Looked, type Made } from "./looked.ts";
import { askObjects, type Objects } from "./objects.ts";
import { isDirectory, isRegularFile, type Tree, type TreeEntry } from "./tree.ts";

/** The way down to a directory of a commit. */
export interface Descent {
  /** The trees passed, the top of the repository first. */
  readonly trees: readonly [Tree, ...Tree[]];
  /** The directory itself; absent where the last of the trees does not name what would lead to it. */
  readonly directory: Tree | "absent";
}

/** Something that stands where a directory should be, or above it: a file, a link or a submodule. */
export interface Obstacle {
  readonly state: "obstacle";
  /** From the top of the repository. */
  readonly path: string;
  readonly entry: TreeEntry;
}

/** Goes down from the top tree of a commit. */
export async function descend(objects: Objects, top: Tree, directory: string): Promise<Made<Descent> | Obstacle> {
  const trees: [Tree, ...Tree[]] = [top];
  const names = namesOf(directory);
  let tree = top;
  for (const [i, name] of names.entries()) {
    const entry = tree.get(name);
    if (entry === undefined) return found({ trees, directory: "absent" });
    if (!isDirectory(entry)) return { state: "obstacle", path: names.slice(0, i + 1).join("/"), entry };
    const next = await objects.tree(entry.id);
    if (next.state === "failed") return next;
    tree = next.value;
    trees.push(tree);
  }
  return found({ trees, directory: tree });
}

/** A path's names: `./p/` is `p`, and the top of the repository has none. */
export function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** The bytes of a file in a commit. Absent where no regular file of that path is in it; failed where it is larger. */
export function readCommittedFile(git: Git, commit: string, path: string, bytesMax: number): Promise<Looked<Buffer>> {
  return askObjects(git, async (objects) => {
    const top = await objects.treeOfCommit(commit);
    if (top.state === "failed") return top;
    if (top.state === "absent") return failed(`this repository does not hold the commit ${commit}`);
    const names = namesOf(path);
    const descent = await descend(objects, top.value, names.slice(0, -1).join("/"));
    if (descent.state === "failed") return descent;
    if (descent.state === "obstacle" || descent.value.directory === "absent") return ABSENT;
    const entry = descent.value.directory.get(names.at(-1) ?? "");
    if (entry === undefined || !isRegularFile(entry)) return ABSENT;
    const files = await objects.files([entry.id], bytesMax);
    if (files.state === "failed") return files;
    const [bytes] = files.value;
    return bytes === undefined ? failed(`git did not answer for ${path}`) : found(bytes);
  });
}
