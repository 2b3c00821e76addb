import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { JobError } from "../../errors/job-error.ts";
import { pauseBetween } from "../../facts/pause.ts";
import type { Git } from "../../git/git.ts";
import { complaintOf } from "../../git/git-words.ts";

/** Attributes name programs to run on files, and stand in the work tree: here they say nothing, whatever stands there. */
const NO_ATTRIBUTES = "* -filter -text -eol -ident -diff -merge -working-tree-encoding\n";

/** How the owner's file system behaves, without which every file would look changed. */
const FILE_SYSTEM_SETTINGS = /^core\.(?:filemode|symlinks|ignorecase|precomposeunicode)$/;

/** Git compares times by the second, and a file system may be some milliseconds behind the clock. */
const A_SECOND_MS = 1_100;

/** The other formats of ids need to be named. */
const SHA256_HEX_LENGTH = 64;

/**
 * A git directory of our own by which a worktree is looked at from outside, after a run could write whatever it liked into
 * the tree and into git's own files for it. It has the repository's objects, a copy of the index as it was before the run
 * (so that unchanged files are known by their times, unread), and nothing else: no configuration but ours, no attributes, no
 * hooks. Nothing that stands in the tree can make git run a program through it.
 */
export class OutsideView {
  readonly #git: Git;
  readonly #directory: string;
  readonly #tree: string;

  constructor(git: Git, directory: string, tree: string) {
    this.#git = git;
    this.#directory = directory;
    this.#tree = tree;
  }

  /** Makes the view of a fresh worktree. `own` and `common` are git's directories for it, `commit` what was checked out. */
  async make({ own, common, commit }: { readonly own: string; readonly common: string; readonly commit: string }): Promise<void> {
    for (const part of ["objects/info", "refs/heads", "info"]) mkdirSync(join(this.#directory, part), { recursive: true });
    const listed = await this.#git.run(["config", "--list", "-z"]);
    const settings = listed.stdout.split("\0").flatMap((entry) => {
      const [name = "", value = "true"] = entry.split("\n");
      return FILE_SYSTEM_SETTINGS.test(name) ? [`  ${name.slice("core.".length)} = ${/^true$/i.test(value)}`] : [];
    });
    const isSha256 = commit.length === SHA256_HEX_LENGTH;
    this.#write("config", [
      "[core]",
      `  repositoryformatversion = ${isSha256 ? 1 : 0}`,
      "  fsmonitor = false",
      "  untrackedCache = false",
      ...settings,
      ...(isSha256 ? ["[extensions]", "  objectFormat = sha256"] : []),
    ]);
    this.#write("HEAD", [commit]);
    this.#write("objects/info/alternates", [join(common, "objects")]);
    this.#write("info/attributes", [NO_ATTRIBUTES]);
    const exclude = join(common, "info/exclude");
    if (existsSync(exclude)) writeFileSync(join(this.#directory, "info/exclude"), readFileSync(exclude));
    // A split index stands in more than one file.
    for (const name of readdirSync(own).filter((file) => file === "index" || file.startsWith("sharedindex."))) {
      const [from, copy] = [join(own, name), join(this.#directory, name)];
      copyFileSync(from, copy);
      const { atime, mtime } = statSync(from);
      utimesSync(copy, atime, mtime);
    }
    // Nothing ran yet. What looks changed was filled by a filter, which stands in for no content here.
    if ((await this.changes(commit, commit, 1)).length > 0) await this.#trustTimes();
  }

  /**
   * Git reads a file again that was written in the same second as the index: it may have been written once more since. So
   * that second is let pass, before anything runs, and then the index is made later than all that it knows.
   */
  async #trustTimes(): Promise<void> {
    await pauseBetween(A_SECOND_MS, A_SECOND_MS);
    const index = join(this.#directory, "index");
    const { atime, mtime } = statSync(index);
    utimesSync(index, atime, mtime.valueOf() / 1000 + 1);
  }

  /**
   * Names of what differs from the commit at which the worktree now is, at most `most` of them; empty where nothing does.
   * What git ignores does not count. A submodule that was filled counts. Throws JobError IO where git cannot say.
   */
  async changes(before: string, now: string, most: number): Promise<readonly string[]> {
    if (now !== before) {
      await this.#require(["read-tree", "-m", "-i", before, now]);
      this.#write("HEAD", [now]);
    }
    const listed = await this.#require([
      "status",
      ...["--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all"],
    ]);
    const changed = listed.split("\0").flatMap((entry) => (entry === "" ? [] : [entry.slice("XY ".length)]));
    return [...changed, ...(await this.#filledSubmodules())].slice(0, most);
  }

  /** Git would run git inside each of them to tell, with whatever configuration stands there. */
  async #filledSubmodules(): Promise<readonly string[]> {
    const staged = await this.#require(["ls-files", "--stage", "-z"]);
    const paths = staged
      .split("\0")
      .flatMap((entry) => (entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []));
    return paths.filter((path) => {
      const directory = join(this.#tree, path);
      return existsSync(directory) && readdirSync(directory).length > 0;
    });
  }

  async #require(args: readonly string[]): Promise<string> {
    const done = await this.#git.run(["-C", this.#tree, `--git-dir=${this.#directory}`, `--work-tree=${this.#tree}`, ...args]);
    if (done.exit_code === 0) return done.stdout;
    throw new JobError("IO", `${this.#tree}: cannot be looked at: ${complaintOf(done)}`, { file: this.#tree });
  }

  #write(name: string, lines: readonly string[]): void {
    writeFileSync(join(this.#directory, name), `${lines.join("\n")}\n`);
  }
}
