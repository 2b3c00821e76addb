import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { sep } from "node:path";
import { promisify } from "node:util";
import { errnoOf } from "../errors/io-error.ts";
import type { FileContent } from "../facts/read-bounded-file.ts";
import { type Decoded, readListedText } from "./read-listed-text.ts";

/** Who may do what with a file: permission bits, owner and group. */
export interface Access {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface FileStat extends Access {
  readonly kind: "file" | "directory" | "other";
  readonly changedAtMs: number;
}

export interface DirectoryStat extends Access {
  /** The same for every path that leads to this directory. */
  readonly identity: string;
}

/**
 * The few file system calls that the store makes, so that tests can break each of them. Reads are synchronous, which is
 * several times faster for small files; fsyncs are not, so that many can be under way at once.
 */
export interface Disk {
  list(directory: string): Dirent[];
  /** Links not followed; undefined where there is nothing. */
  stat(path: string): FileStat | undefined;
  /** Links followed; throws where there is nothing. */
  statDirectory(path: string): DirectoryStat;
  /** A file that was listed or looked at as a regular one. */
  read(path: string, bytesMax: number): Decoded | FileContent;
  /**
   * Creates a file that is not there yet, writes the whole text and gives its descriptor. Without `access` it is a new file,
   * as the umask has it.
   */
  create(path: string, text: string, access?: Access): number;
  flush(descriptor: number): Promise<void>;
  close(descriptor: number): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  makeDirectory(path: string, access: Access): void;
  giveDirectoryAccess(path: string, access: Access): void;
  /** An empty one; any other stays. */
  removeDirectory(path: string): void;
  /** Makes the renames in a directory survive a power cut. */
  flushDirectory(directory: string): void;
}

const PERMISSION_BITS = 0o7777;
const ROOT_ID = 0;
const OWNER_ONLY = 0o700;

export const nodeDisk: Disk = {
  list: (directory) => readdirSync(directory, { withFileTypes: true }),
  stat: (path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && { ...accessOf(stats), kind: kindOf(stats), changedAtMs: stats.mtimeMs };
  },
  statDirectory: (path) => {
    // With the separator at its end, what is no directory is ENOTDIR.
    const stats = statSync(path + sep);
    return { ...accessOf(stats), identity: `${stats.dev}:${stats.ino}` };
  },
  read: readListedText,
  create: (path, text, access) => {
    const descriptor = openSync(path, "wx", access?.mode);
    try {
      writeFileSync(descriptor, text);
      if (access !== undefined) keepAccess(descriptor, access);
    } catch (cause) {
      closeSync(descriptor);
      throw cause;
    }
    return descriptor;
  },
  flush: promisify(fsync),
  close: closeSync,
  rename: renameSync,
  remove: unlinkSync,
  makeDirectory: (path, access) => {
    mkdirSync(path, OWNER_ONLY);
    nodeDisk.giveDirectoryAccess(path, access);
  },
  giveDirectoryAccess: (path, access) => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      const fault = giveOwnership(descriptor, fstatSync(descriptor), access);
      fchmodSync(descriptor, fault === undefined ? access.mode : withoutGroup(access.mode));
    } finally {
      closeSync(descriptor);
    }
  },
  removeDirectory: (path) => {
    try {
      rmdirSync(path);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  },
  flushDirectory: (directory) => {
    const descriptor = openSync(directory, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
};

function accessOf({ mode, uid, gid }: Stats): Access {
  return { mode: mode & PERMISSION_BITS, uid, gid };
}

function kindOf(stats: Stats): FileStat["kind"] {
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "directory" : "other";
}

/** A file that replaces another keeps its mode and group. Where it cannot, no other group may get the rights of the old one. */
function keepAccess(descriptor: number, access: Access): void {
  const created = fstatSync(descriptor);
  const fault = giveOwnership(descriptor, created, access);
  if (fault !== undefined && withoutGroup(access.mode) !== access.mode) throw fault;
  if ((created.mode & PERMISSION_BITS) !== access.mode) fchmodSync(descriptor, access.mode);
}

/** Root gives to any owner, others to a group of theirs. Answers with what the system said if the group is not the wanted one. */
function giveOwnership(descriptor: number, found: Stats, wanted: Access): unknown {
  const isOwnerWanted = found.uid === ROOT_ID && found.uid !== wanted.uid;
  if (isOwnerWanted && changeOwner(descriptor, wanted.uid, wanted.gid) === undefined) return undefined;
  return found.gid === wanted.gid ? undefined : changeOwner(descriptor, found.uid, wanted.gid);
}

function changeOwner(descriptor: number, uid: number, gid: number): unknown {
  try {
    fchownSync(descriptor, uid, gid);
    return undefined;
  } catch (error) {
    // Not allowed, or a number that this user namespace does not know.
    if (["EPERM", "EINVAL"].includes(errnoOf(error) ?? "")) return error;
    throw error;
  }
}

/** The mode with a group that may do no more than everybody. */
function withoutGroup(mode: number): number {
  return mode & (~0o070 | (mode << 3));
}
