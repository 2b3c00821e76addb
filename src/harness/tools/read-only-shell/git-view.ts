import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { errnoOf } from "../../../errors/io-error.ts";
import { JobError } from "../../../errors/job-error.ts";
import { readBoundedFile } from "../../../facts/read-bounded-file.ts";
import { knownRemotes } from "./known-remotes.ts";

/** What a git directory knows of a checkout beside its index, as single files. */
const OWN_FILES = ["HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_HEAD"];
const COMMON_FILES = ["packed-refs", "shallow", "info/exclude"];

/** How the file system behaves, without which every file would look changed. Nothing else is taken over from a configuration. */
const FILE_SYSTEM_SETTING = /^\s*(filemode|symlinks|ignorecase|precomposeunicode)\s*=\s*(true|false)\s*$/gim;

/** A small file of git's: a link, a head, a configuration. */
const SMALL_BYTES_MAX = 1024 * 1024;

/**
 * A git directory by which a read-only agent looks at a checkout: the repository's objects, copies of its refs and index, and
 * a configuration of our own. Whatever the repository's says that git should run (monitors, filters, drivers, pagers,
 * signing programs) is not there, and what git might write beside what it reads (an index refreshed) goes to the copy.
 */
export class GitView {
  /** For GIT_DIR. */
  readonly directory: string;
  /** The repository's objects, which are read where they are. */
  readonly objects: string;

  /** Throws JobError IO. */
  constructor({ own, common }: GitDirectories) {
    this.objects = join(common, "objects");
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), "harness-wake-git-")));
    try {
      this.#fill(own, common);
    } catch (error) {
      this.remove();
      if (errnoOf(error) === undefined) throw error;
      throw new JobError("IO", `${own}: git's files cannot be read (${errnoOf(error)})`);
    }
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #fill(own: string, common: string): void {
    for (const part of ["objects/info", "refs", "info"]) mkdirSync(join(this.directory, part), { recursive: true });
    writeFileSync(join(this.directory, "objects/info/alternates"), `${this.objects}\n`);
    for (const name of OWN_FILES) copyIfThere(join(own, name), join(this.directory, name));
    for (const name of COMMON_FILES) copyIfThere(join(common, name), join(this.directory, name));
    // A split index stands in more than one file.
    for (const name of readdirSync(own).filter((file) => file === "index" || file.startsWith("sharedindex."))) {
      copyIfThere(join(own, name), join(this.directory, name));
    }
    for (const refs of ["refs", "reftable"].filter((name) => existsSync(join(common, name)))) {
      cpSync(join(common, refs), join(this.directory, refs), { recursive: true });
    }
    writeFileSync(join(this.directory, "config"), this.#configuration(common));
  }

  #configuration(common: string): string {
    const theirs = smallText(join(common, "config")) ?? "";
    const fileSystem = [...theirs.matchAll(FILE_SYSTEM_SETTING)].map(([, name, value]) => `  ${name} = ${value}`);
    const extensions = [
      ...(/^\s*objectformat\s*=\s*sha256\s*$/im.test(theirs) ? ["  objectFormat = sha256"] : []),
      ...(existsSync(join(common, "reftable")) ? ["  refStorage = reftable"] : []),
    ];
    const lines = [
      ...["[core]", `  repositoryFormatVersion = ${extensions.length > 0 ? 1 : 0}`, "  bare = false"],
      ...["  fsmonitor = false", "  untrackedCache = false", "  hooksPath = /dev/null", ...fileSystem],
      ...["[diff]", "  autoRefreshIndex = false", "  ignoreSubmodules = all"],
      // A format may ask for signatures, and that would start a program.
      ...["[gpg]", "  program = false", '[gpg "ssh"]', "  program = false", '[gpg "x509"]', "  program = false"],
      ...(extensions.length > 0 ? ["[extensions]", ...extensions] : []),
      ...knownRemotes(theirs),
    ];
    return `${lines.join("\n")}\n`;
  }
}

/** The directories of a checkout's own part of a repository, and of what all its worktrees share. Absolute. */
export interface GitDirectories {
  readonly own: string;
  readonly common: string;
}

/** Those of the checkout at that directory; undefined where it is none. Starts no git, which would heed what is set there. */
export function gitDirectoriesOf(checkout: string): GitDirectories | undefined {
  const link = join(checkout, ".git");
  const there = lstatSync(link, { throwIfNoEntry: false });
  const named = there?.isFile() ? /^gitdir: (.+)$/m.exec(smallText(link) ?? "")?.[1] : undefined;
  const own = there?.isDirectory() ? link : named === undefined ? undefined : resolve(checkout, named);
  if (own === undefined || !existsSync(join(own, "HEAD"))) return undefined;
  const shared = there?.isFile() ? smallText(join(own, "commondir"))?.trim() : undefined;
  return { own, common: shared === undefined ? own : resolve(own, shared) };
}

/** Times too: by them git knows which files are unchanged. */
function copyIfThere(from: string, to: string): void {
  if (!lstatSync(from, { throwIfNoEntry: false })?.isFile()) return;
  copyFileSync(from, to);
  const { atime, mtime } = statSync(from);
  utimesSync(to, atime, mtime);
}

function smallText(path: string): string | undefined {
  try {
    const content = readBoundedFile(path, SMALL_BYTES_MAX);
    return content.kind === "content" ? content.bytes.toString() : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
