import { JobError } from "../errors/job-error.ts";
import type { FileContent } from "../facts/read-bounded-file.ts";
import type { AttributesFile } from "../git/attributes.ts";
import { type Descent, descend, namesOf, type Obstacle } from "../git/committed-path.ts";
import type { Git } from "../git/git.ts";
import { failed, found, type Made } from "../git/looked.ts";
import { fetchMissingFiles } from "../git/missing-files.ts";
import { askObjects, type ObjectHead, type Objects, readFilesNow } from "../git/objects.ts";
import { isRegularFile, kindOf, type Tree } from "../git/tree.ts";
import { JOB_FILE_BYTES_MAX } from "../job/limits.ts";
import { CommittedDirectory, jobFileNamesOf } from "./committed-directory.ts";
import { type CommittedAttributes, JobConversions } from "./job-conversions.ts";
import { jobFileName } from "./job-file.ts";

/** A commit, and the remote that has what this clone of it does not. */
export interface CommitToRead {
  /** Undefined where the branch has no commit yet. */
  readonly commit: string | undefined;
  readonly remote: string;
  readonly isPartial: boolean;
}

/**
 * So much of job files is held in memory at once, and written in one commit: ten thousand jobs of 3 KiB, and a handful of the
 * largest that are allowed.
 */
const BATCH_BYTES_MAX = 32 * 1024 * 1024;

/** A job file that can be read, and one that cannot: why not. */
type CommittedFile =
  | { readonly name: string; readonly id: string; readonly size: number; readonly unread?: never }
  | { readonly name: string; readonly size: 0; readonly unread: FileContent | JobError };

interface Listing {
  readonly tree: Tree;
  readonly attributes: CommittedAttributes;
  /** The names that are asked for; of them those that are regular files; and of these the first batch. */
  readonly names: readonly string[];
  readonly files: readonly CommittedFile[];
  readonly read: ReadonlyMap<string, Buffer>;
}

/** Reads the jobs directory from commits. */
export class CommittedJobs {
  readonly #git: Git;
  /** From the top of the repository. */
  readonly #directory: string;
  readonly #conversions: JobConversions;

  constructor(git: Git, directory: string) {
    this.#git = git;
    this.#directory = directory;
    this.#conversions = new JobConversions(git, directory);
  }

  /** All job files. Those past the first batch are read when they are come to, so that no fleet is held in memory whole. */
  async all(at: CommitToRead): Promise<CommittedDirectory> {
    const listing = await this.#list(at, true, jobFileNamesOf);
    let { read } = listing;
    return this.#open(listing, (name) => {
      if (!read.has(name)) read = this.#readNow(listing.files.slice(listing.files.findIndex((file) => file.name === name)));
      return read.get(name);
    });
  }

  /** Of these jobs as many, from the first, as are one batch; `covered` says how many. */
  async batch(at: CommitToRead, jobIds: readonly string[]) {
    const listing = await this.#list(at, jobIds.length > 1, () => jobIds.map(jobFileName));
    const left = new Set(listing.files.slice(batchOf(listing.files).length).map(({ name }) => name));
    const firstLeft = listing.names.findIndex((name) => left.has(name));
    return {
      directory: await this.#open(listing, (name) => listing.read.get(name)),
      covered: firstLeft === -1 ? jobIds.length : firstLeft,
    };
  }

  async #open(listing: Listing, read: (name: string) => Buffer | undefined): Promise<CommittedDirectory> {
    const { tree, attributes, names, files } = listing;
    const refusals = await this.#conversions.refusals(attributes, names);
    const unread = new Map(files.flatMap((file) => (file.unread === undefined ? [] : [[file.name, file.unread] as const])));
    return new CommittedDirectory({
      displayName: this.#directory,
      tree,
      refusalOf: (name) => refusals.get(name),
      read: (name) => {
        const known = unread.get(name);
        if (known instanceof JobError) throw known;
        if (known !== undefined) return known;
        const bytes = read(name);
        if (bytes === undefined) throw new TypeError(`${name} was not read`);
        return { kind: "content", bytes };
      },
    });
  }

  async #list(
    { commit, remote, isPartial }: CommitToRead,
    isMany: boolean,
    select: (tree: Tree) => readonly string[],
  ): Promise<Listing> {
    if (commit === undefined) {
      const tree: Tree = new Map();
      return { tree, attributes: NO_ATTRIBUTES, names: select(tree), files: [], read: new Map() };
    }
    // Git by itself fetches one that is missing; many are fetched in one go.
    if (isPartial && isMany) await fetchMissingFiles(this.#git, remote, commit, this.#directory);
    const looked = await askObjects(this.#git, (objects) => this.#look(objects, commit, select));
    if (looked.state === "found") return looked.value;
    const why = looked.state === "failed" ? looked.why : "there is no answer";
    throw new JobError("IO", `git cannot read ${this.#directory} of the commit ${commit}: ${why}. Nothing was changed`);
  }

  async #look(objects: Objects, commit: string, select: (tree: Tree) => readonly string[]): Promise<Made<Listing>> {
    const top = await objects.treeOfCommit(commit);
    if (top.state === "failed") return top;
    if (top.state === "absent") return failed("the commit is not here");
    const descent = await descend(objects, top.value, this.#directory);
    if (descent.state === "failed") return descent;
    if (descent.state === "obstacle") throw this.#noDirectory(descent);
    const { directory } = descent.value;
    const tree: Tree = directory === "absent" ? new Map() : directory;
    const names = select(tree);
    const entries = names.flatMap((name) => {
      const entry = tree.get(name);
      return entry !== undefined && isRegularFile(entry) ? { name, id: entry.id } : [];
    });
    const heads = await objects.heads(entries.map(({ id }) => id));
    const files = entries.map(({ name, id }, i): CommittedFile => {
      const head = heads[i] ?? failed("git did not answer");
      return head.state === "found" ? this.#sized(name, id, head.value) : this.#unreadable(name, head);
    });
    const first = batchOf(files).filter((file) => file.unread === undefined);
    const bytes = await objects.files(
      first.map(({ id }) => id),
      JOB_FILE_BYTES_MAX,
    );
    if (bytes.state === "failed") return bytes;
    const attributes = await readAttributes(objects, descent.value, namesOf(this.#directory));
    if (attributes.state === "failed") return attributes;
    const read = new Map(first.map(({ name }, i) => [name, bytes.value[i] ?? Buffer.alloc(0)]));
    return found({ tree, attributes: attributes.value, names, files, read });
  }

  #sized(name: string, id: string, { type, size }: ObjectHead): CommittedFile {
    if (type !== "blob") return this.#unreadable(name, failed(`git shows a ${type} in its place`));
    return size <= JOB_FILE_BYTES_MAX ? { name, id, size } : { name, size: 0, unread: { kind: "too_large", size } };
  }

  #unreadable(
    name: string,
    looked: { readonly state: "absent" } | { readonly state: "failed"; readonly why: string },
  ): CommittedFile {
    const file = `${this.#directory}/${name}`;
    const why = looked.state === "failed" ? looked.why : "it is not here; run git fsck";
    return {
      name,
      size: 0,
      unread: new JobError("IO", `${file}: git cannot read it from the commit: ${why}. Nothing was changed`, { file }),
    };
  }

  #readNow(files: readonly CommittedFile[]): ReadonlyMap<string, Buffer> {
    const batch = batchOf(files).filter((file) => file.unread === undefined);
    const bytes = readFilesNow(
      this.#git,
      batch.map(({ id }) => id),
    );
    if (bytes.state === "failed")
      throw new JobError("IO", `git cannot read ${this.#directory}: ${bytes.why}. Nothing was changed`);
    return new Map(batch.map(({ name }, i) => [name, bytes.value[i] ?? Buffer.alloc(0)]));
  }

  /** Where a file or link stands in its place, a fleet would look empty, and its first job would remove what stands there. */
  #noDirectory({ path, entry }: Obstacle): JobError {
    const message = `${path}: is ${kindOf(entry)} in the commit; make it a directory there, or name another as jobs_dir`;
    return new JobError("CONFIG", message, { file: this.#directory });
  }
}

/** As many files, from the first, as are one batch; at least one. */
function batchOf(files: readonly CommittedFile[]): readonly CommittedFile[] {
  let bytes = 0;
  const end = files.findIndex(({ size }, i) => {
    bytes += size;
    return i > 0 && bytes > BATCH_BYTES_MAX;
  });
  return end === -1 ? files : files.slice(0, end);
}

const NO_ATTRIBUTES: CommittedAttributes = { files: [], mentionConversions: false };
const ATTRIBUTES = ".gitattributes";
const ATTRIBUTES_BYTES_MAX = 1024 * 1024;

/** The attributes files that apply to the jobs directory: those in it and above it. */
async function readAttributes(
  objects: Objects,
  { trees }: Descent,
  names: readonly string[],
): Promise<Made<CommittedAttributes>> {
  const files = trees.flatMap((tree, i): AttributesFile[] => {
    const entry = tree.get(ATTRIBUTES);
    return entry !== undefined && isRegularFile(entry)
      ? [{ path: [...names.slice(0, i), ATTRIBUTES].join("/"), id: entry.id }]
      : [];
  });
  const texts = await objects.files(
    files.map(({ id }) => id),
    ATTRIBUTES_BYTES_MAX,
  );
  if (texts.state === "failed") return texts;
  const mentionConversions = texts.value.some((text) => /filter|working-tree-encoding|\[attr\]/.test(text.toString()));
  return found({ files, mentionConversions });
}
