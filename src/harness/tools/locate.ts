import { mkdirSync, readlinkSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import { DirectoryHandle } from "./directory-handle.ts";

/** A place in a workspace: a name in a directory that is held open. No part of the way there was a link when it was taken. */
export interface Located {
  readonly directory: DirectoryHandle;
  /** `.` for the workspace itself. Whatever opens it must not follow a link. */
  readonly name: string;
  /** The place from the top of the workspace, links resolved; for messages. */
  readonly path: string;
}

/**
 * What a place is looked for. Whoever changes or writes gets none of git's own files, since they can make git run a program;
 * whoever writes gets the directories made that are missing.
 */
export type Purpose = "read" | "change" | "write";

/** More than any file system allows in one path; each directory on the way is held open. */
const PARTS_MAX = 200;

/** As many links as Linux follows. */
const LINKS_MAX = 40;

/**
 * Finds a place in a workspace, directory by directory, each in the one before it, and holds it open for as long as it is
 * used. Links are followed where they stay inside. Throws JobError USAGE for a path that leaves the workspace, and IO for one
 * that leads nowhere.
 */
export async function usePlace<Result>(
  workspace: string,
  path: string,
  purpose: Purpose,
  use: (place: Located) => Result | Promise<Result>,
): Promise<Result> {
  const place = new Walk(workspace, path, purpose).end();
  try {
    return await use(place);
  } finally {
    place.directory.close();
  }
}

class Walk {
  readonly #workspace: string;
  readonly #asked: string;
  readonly #purpose: Purpose;
  /** The directories from the top of the workspace to here, with the names by which they were reached. */
  readonly #held: DirectoryHandle[];
  readonly #names: string[] = [];
  #ahead: string[];
  #links = 0;

  constructor(workspace: string, path: string, purpose: Purpose) {
    this.#workspace = workspace;
    this.#asked = path;
    this.#purpose = purpose;
    if (path.includes("\0")) throw this.#refused("holds a NUL character");
    this.#ahead = this.#partsOf(path);
    this.#held = [new DirectoryHandle(workspace)];
  }

  end(): Located {
    try {
      const name = this.#walk();
      const directory = this.#held.pop();
      if (directory === undefined) throw new TypeError("a walk holds the workspace");
      const path = [...this.#names, ...(name === "." ? [] : [name])].join("/");
      return { directory, name, path: path === "" ? "." : path };
    } finally {
      for (const handle of this.#held) handle.close();
    }
  }

  /** Goes until one name is left, and gives it. */
  #walk(): string {
    for (;;) {
      const name = this.#ahead.shift();
      if (name === undefined) return this.#arrived();
      if (name === "..") this.#climb();
      else if (this.#isLink(name)) continue;
      else if (this.#ahead.length === 0) return name;
      else this.#enter(name);
    }
  }

  /** The path ended in a directory that is entered already: its own name in the one above, or the workspace itself. */
  #arrived(): string {
    const name = this.#names.pop();
    if (name === undefined) return ".";
    this.#held.pop()?.close();
    return name;
  }

  #climb(): void {
    if (this.#names.pop() === undefined) throw this.#refused("leaves the workspace");
    this.#held.pop()?.close();
  }

  /** Follows the name where it is a link: then its target is what lies ahead. */
  #isLink(name: string): boolean {
    if (this.#purpose !== "read" && name.toLowerCase() === ".git") throw this.#refused("is one of git's own files; use git");
    let target: string;
    try {
      target = readlinkSync(this.#here.at(name));
    } catch (error) {
      // No link, or nothing there, which entering and opening tell better.
      if (errnoOf(error) === undefined) throw error;
      return false;
    }
    this.#links++;
    if (this.#links > LINKS_MAX) throw this.#refused("goes through too many links");
    if (isAbsolute(target)) this.#backToTop();
    this.#ahead = [...this.#partsOf(target), ...this.#ahead];
    return true;
  }

  #enter(name: string): void {
    if (this.#held.length > PARTS_MAX) throw this.#refused("is too deep");
    try {
      this.#held.push(this.#open(name));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      const what = errnoOf(error) === "ENOENT" ? "is not there" : `is no directory that can be entered (${errnoOf(error)})`;
      throw new JobError("IO", `${this.#asked}: ${[...this.#names, name].join("/")} ${what}`);
    }
    this.#names.push(name);
  }

  #open(name: string): DirectoryHandle {
    const path = this.#here.at(name);
    try {
      return new DirectoryHandle(path);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT" || this.#purpose !== "write") throw error;
      mkdirSync(path);
      return new DirectoryHandle(path);
    }
  }

  get #here(): DirectoryHandle {
    const here = this.#held.at(-1);
    if (here === undefined) throw new TypeError("a walk holds the workspace");
    return here;
  }

  #backToTop(): void {
    for (const handle of this.#held.splice(1)) handle.close();
    this.#names.length = 0;
  }

  /** The names of a path; an absolute one has to be inside the workspace. */
  #partsOf(path: string): string[] {
    const inside = isAbsolute(path) ? relative(this.#workspace, path) : path;
    const parts = inside.split(sep).filter((part) => part !== "" && part !== ".");
    if (isAbsolute(path) && parts[0] === "..") throw this.#refused("leaves the workspace");
    if (parts.length > PARTS_MAX) throw this.#refused("is too deep");
    return parts;
  }

  #refused(why: string): JobError {
    return new JobError("USAGE", `${this.#asked} ${why}. Give a path inside the workspace`);
  }
}
