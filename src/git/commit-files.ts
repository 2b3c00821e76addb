import type { Git } from "./git.ts";

export interface NewFile {
  /** From the top of the repository. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

export interface NewCommit {
  /** The commit that it follows; undefined for the first of its branch. */
  readonly parent: string | undefined;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Seconds since 1970. */
  readonly at: number;
  readonly files: readonly NewFile[];
}

/**
 * The ref that fast-import wants to write to. It is reset to nothing in the same stream, so no ref is ever written; and it
 * stands directly under `refs/`, since git would leave a directory behind for a deeper one.
 */
const SCRATCH_REF = "refs/harness-wake-scratch";
const NO_COMMIT = "0".repeat(40);

/**
 * Makes a commit from its parent and some files and gives its id. One git process; no index, work tree, branch, hook or
 * config of the user's is touched, and no identity or signing key of theirs is needed. Undefined where git refused.
 */
export async function commitFiles(git: Git, commit: NewCommit): Promise<string | undefined> {
  const made = await git.run(["fast-import", "--quiet", "--date-format=raw"], streamOf(commit));
  const id = /^[0-9a-f]{40,64}$/m.exec(made.stdout)?.[0];
  return made.exit_code === 0 ? id : undefined;
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
    `reset ${SCRATCH_REF}`,
    `from ${NO_COMMIT.padEnd(parent?.length ?? NO_COMMIT.length, "0")}`,
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
