import type { Git } from "./git.ts";
import { complaintOf } from "./git-words.ts";
import { failed, found, type Made } from "./looked.ts";

export interface NewFile {
  /** From the top of the repository. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface NewCommit {
  /** The commit that it follows; undefined for the first of its branch. */
  readonly parent: string | undefined;
  readonly message: string;
  readonly author: Person;
  /** Seconds since 1970. */
  readonly at: number;
  readonly files: readonly NewFile[];
}

/** A commit that was made here, and the one that it follows. */
export interface Commit {
  readonly id: string;
  readonly parent: string | undefined;
}

/**
 * The ref that fast-import wants to write to. It is reset to nothing in the same stream, so no ref is ever written; and it
 * stands directly under `refs/`, since git would leave a directory behind for a deeper one.
 */
const SCRATCH_REF = "refs/harness-wake-scratch";

/**
 * Makes a commit from its parent and some files. One git process; no index, work tree, branch, hook or config of the user's
 * is touched, and no identity or signing key of theirs is needed.
 */
export async function commitFiles(git: Git, commit: NewCommit): Promise<Made<Commit>> {
  const made = await git.run(["fast-import", "--quiet", "--date-format=raw"], { input: streamOf(commit) });
  return commitFrom(made.exit_code === 0 ? made.stdout : undefined, commit.parent) ?? failed(complaintOf(made));
}

/** The commit whose id is all that git printed. */
function commitFrom(stdout: string | undefined, parent: string | undefined): Made<Commit> | undefined {
  const id = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(stdout ?? "")?.[1];
  return id === undefined ? undefined : found({ id, parent });
}

function streamOf({ parent, message, author, at, files }: NewCommit): string {
  const who = `${plainName(author.name)} <${plainName(author.email)}> ${at} +0000`;
  return [
    `commit ${SCRATCH_REF}`,
    "mark :1",
    `author ${who}`,
    `committer ${who}`,
    dataOf(message),
    ...(parent === undefined ? [] : [`from ${parent}`]),
    ...files.flatMap(({ path, text, isExecutable }) => [
      `M ${isExecutable ? "100755" : "100644"} inline ${quoted(path)}`,
      dataOf(text),
    ]),
    "get-mark :1",
    // Without a `from` line the ref has no commit, and fast-import leaves it out.
    `reset ${SCRATCH_REF}`,
    "",
    "",
  ].join("\n");
}

function dataOf(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

/** What could not stand in a commit's author line. */
function plainName(name: string): string {
  return name.replace(/[<>\n\0]/g, "").trim();
}

/**
 * The same commit again, signed with the user's key as `git commit -S` would sign it. The committer is whoever git's own
 * settings name, since a forge looks for the key among theirs.
 */
export async function signCommit(git: Git, { id, parent }: Commit, { message, author, at }: NewCommit): Promise<Made<Commit>> {
  const parents = parent === undefined ? [] : ["-p", parent];
  const signed = await git.run(["commit-tree", "-S", ...parents, `${id}^{tree}`], {
    input: message,
    env: {
      GIT_AUTHOR_NAME: plainName(author.name),
      GIT_AUTHOR_EMAIL: plainName(author.email),
      GIT_AUTHOR_DATE: `${at} +0000`,
      GIT_COMMITTER_DATE: `${at} +0000`,
    },
  });
  return commitFrom(signed.exit_code === 0 ? signed.stdout : undefined, parent) ?? failed(complaintOf(signed));
}
