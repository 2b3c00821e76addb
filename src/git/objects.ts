import type { Git, GitDialogue } from "./git.ts";
import { complaintOf } from "./git-words.ts";
import { ABSENT, failed, found, type Looked, type Made } from "./looked.ts";
import { parseTree, type Tree } from "./tree.ts";

/** A directory of a million files is smaller; a larger object in the place of a tree or a commit is none. */
const TREE_BYTES_MAX = 64 * 1024 * 1024;

export interface ObjectHead {
  readonly type: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * Asks one git process about objects. Its answers count only when git ended well, so what `use` concludes becomes `failed`
 * where it did not.
 */
export async function askObjects<T>(git: Git, use: (objects: Objects) => Promise<Looked<T>>): Promise<Looked<T>> {
  const dialogue = await git.converse(["cat-file", "--batch-command"]);
  const answer = await use(new Objects(dialogue)).catch(async (error: unknown) => {
    await dialogue.end();
    throw error;
  });
  const end = await dialogue.end();
  return end.exit_code === 0 ? answer : failed(complaintOf(end));
}

/** The bytes of files that were seen to be here, in the order of their ids; waits for git without giving way. */
export function readFilesNow(git: Git, ids: readonly string[]): Made<readonly Buffer[]> {
  const printed = git.runNow(["cat-file", "--batch"], ids.map((id) => `${id}\n`).join(""));
  if (printed.exit_code !== 0) return failed(complaintOf(printed));
  const files: Buffer[] = [];
  let at = 0;
  for (const id of ids) {
    const lineEnd = printed.stdout.indexOf(LINE_END, at);
    const [, told, size] = /^([0-9a-f]+) blob (\d+)$/.exec(printed.stdout.toString("latin1", at, Math.max(lineEnd, at))) ?? [];
    const from = lineEnd + LINE_END.length;
    const to = from + Number(size);
    if (told !== id || to >= printed.stdout.length) return failed(`git did not answer for ${id}`);
    files.push(printed.stdout.subarray(from, to));
    at = to + LINE_END.length;
  }
  return found(files);
}

/** The objects that a repository holds, by their ids. One that it does not hold is absent, whoever names it. */
export class Objects {
  readonly #dialogue: GitDialogue;

  constructor(dialogue: GitDialogue) {
    this.#dialogue = dialogue;
  }

  /** What these objects are, in the order of their ids. */
  async heads(ids: readonly string[]): Promise<readonly Looked<ObjectHead>[]> {
    this.#dialogue.ask(ids.map((id) => `info ${id}\n`).join(""));
    const heads: Looked<ObjectHead>[] = [];
    for (const id of ids) heads.push(await this.#head(id));
    return heads;
  }

  /** The bytes of these files, in the order of their ids. */
  async files(ids: readonly string[], bytesMax: number): Promise<Made<readonly Buffer[]>> {
    this.#dialogue.ask(ids.map((id) => `contents ${id}\n`).join(""));
    const files: Buffer[] = [];
    for (const id of ids) {
      const bytes = await this.#contents(id, "blob", bytesMax);
      if (bytes.state === "absent") return missing(id);
      if (bytes.state === "failed") return bytes;
      files.push(bytes.value);
    }
    return found(files);
  }

  /** The tree of a commit; absent where this repository does not hold the commit. */
  async treeOfCommit(commit: string): Promise<Looked<Tree>> {
    this.#dialogue.ask(`contents ${commit}\n`);
    const bytes = await this.#contents(commit, "commit", TREE_BYTES_MAX);
    if (bytes.state !== "found") return bytes;
    const tree = /^tree ([0-9a-f]{40,64})\n/.exec(bytes.value.toString("latin1", 0, 80))?.[1];
    return tree === undefined ? failed(`git shows no commit under ${commit}`) : this.tree(tree);
  }

  /** A tree that a commit or another tree names: where it cannot be had, that is no absence. */
  async tree(id: string): Promise<Made<Tree>> {
    this.#dialogue.ask(`contents ${id}\n`);
    const bytes = await this.#contents(id, "tree", TREE_BYTES_MAX);
    if (bytes.state === "absent") return missing(id);
    if (bytes.state === "failed") return bytes;
    const tree = parseTree(bytes.value, id.length);
    return tree === undefined ? failed(`git shows no tree under ${id}`) : found(tree);
  }

  async #contents(id: string, type: string, bytesMax: number): Promise<Looked<Buffer>> {
    const head = await this.#head(id);
    if (head.state !== "found") return head;
    const { size } = head.value;
    if (head.value.type !== type) return failed(`git shows a ${head.value.type} in the place of the ${type} ${id}`);
    if (size > bytesMax) return failed(`the ${type} ${id} has ${size} bytes; at most ${bytesMax} are read`);
    const bytes = await this.#dialogue.bytes(size + LINE_END.length);
    if (bytes === undefined || !bytes.subarray(size).equals(LINE_END)) return failed(`git broke off in ${id}`);
    return found(bytes.subarray(0, size));
  }

  async #head(id: string): Promise<Looked<ObjectHead>> {
    const line = await this.#dialogue.line();
    if (line === `${id} missing`) return ABSENT;
    const [, told, type, size] = /^([0-9a-f]+) ([a-z]+) (\d+)$/.exec(line ?? "") ?? [];
    if (told !== id || type === undefined) return failed(`git did not answer for ${id}`);
    return found({ type, size: Number(size) });
  }
}

const LINE_END = Buffer.from("\n");

function missing(id: string): Made<never> {
  return failed(`git has no object ${id}, though the commit names it; run git fsck`);
}
