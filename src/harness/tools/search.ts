import { type Dirent, readdirSync } from "node:fs";
import { setImmediate as afterOthers } from "node:timers/promises";
import { errnoOf } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import { readBoundedFile } from "../../facts/read-bounded-file.ts";
import { z } from "../../json/zod.ts";
import { OUTPUT_BYTES_MAX } from "./capped-output.ts";
import { defineTool } from "./define-tool.ts";
import { DirectoryHandle } from "./directory-handle.ts";
import { GLOB_CHARACTERS_MAX, globPattern } from "./glob-pattern.ts";
import { type Located, usePlace } from "./locate.ts";
import { TimedPattern } from "./timed-pattern.ts";
import { type Tool, type ToolResult, text } from "./tool.ts";

const SEARCH_DEADLINE_MS = 30_000;

/** Larger ones are data, and hide what was looked for. They are counted. */
const FILE_BYTES_MAX = 1024 * 1024;

const LINE_CHARACTERS_MAX = 400;

/** How long one file may keep a pattern busy, and with it everything else. */
const PATTERN_MS_MAX = 1_000;

/** Where nobody means to look unless he says so. */
const PASSED_OVER = [".git", "node_modules"];

const DEPTH_MAX = 100;

/** The tool that finds files by their names, and lines in them. Follows no link below where it starts. */
export function searchTool(workspace: string): Tool {
  return defineTool({
    name: "search",
    description: `Finds lines of text files, or files by name. Gives path:line:text. Leaves out ${PASSED_OVER.join(", ")}, binary files and files over ${FILE_BYTES_MAX} bytes.`,
    input: z.strictObject({
      pattern: z.optional(
        z
          .string()
          .check(z.minLength(1), z.describe("A regular expression of JavaScript, for one line. Left out, files are listed.")),
      ),
      ignore_case: z.optional(z.boolean()),
      path: z.optional(
        z
          .string()
          .check(
            z.describe("A directory or file to look in; from the top of the workspace, which is taken where it is left out."),
          ),
      ),
      glob: z.optional(
        z
          .string()
          .check(
            z.minLength(1),
            z.maxLength(GLOB_CHARACTERS_MAX),
            z.describe("Only files so named: *.ts, or src/**/*.ts from the top of the workspace."),
          ),
      ),
    }),
    deadlineMs: () => SEARCH_DEADLINE_MS,
    act: ({ pattern, ignore_case: ignoresCase = false, path = ".", glob }, signal) =>
      usePlace(workspace, path, "read", async (place) => {
        const lines = pattern === undefined ? undefined : new TimedPattern(pattern, ignoresCase ? "i" : "");
        const search = new Search(signal, lines, glob);
        await search.lookAt(place);
        return search.result();
      }),
  });
}

class Search {
  readonly #signal: AbortSignal;
  readonly #pattern: TimedPattern | undefined;
  readonly #glob: ReturnType<typeof globPattern> | undefined;
  readonly #found: string[] = [];
  #bytes = 0;
  #isFull = false;
  #large = 0;
  #unreadable = 0;

  constructor(signal: AbortSignal, pattern: TimedPattern | undefined, glob: string | undefined) {
    this.#signal = signal;
    this.#pattern = pattern;
    this.#glob = glob === undefined ? undefined : globPattern(glob);
  }

  async lookAt({ directory, name, path }: Located): Promise<void> {
    let handle: DirectoryHandle;
    try {
      handle = new DirectoryHandle(directory.at(name));
    } catch (error) {
      if (errnoOf(error) === "ENOENT") throw new JobError("IO", `${path} is not there`);
      if (errnoOf(error) === undefined) throw error;
      // A file that was named is looked at whatever it is called.
      return this.#file(directory, name, path);
    }
    try {
      await this.#directory(handle, path === "." ? "" : `${path}/`, 0);
    } finally {
      handle.close();
    }
  }

  result(): ToolResult {
    const notes = [
      ...(this.#isFull ? [`[more was found than fits: narrow the search]`] : []),
      ...(this.#large > 0 ? [`[files over ${FILE_BYTES_MAX} bytes, left out: ${this.#large}]`] : []),
      ...(this.#unreadable > 0 ? [`[not readable, left out: ${this.#unreadable}]`] : []),
    ];
    return text([...(this.#found.length === 0 ? ["[nothing was found]"] : this.#found), ...notes].join("\n"));
  }

  async #directory(handle: DirectoryHandle, above: string, depth: number): Promise<void> {
    for (const entry of this.#entriesOf(handle)) {
      if (this.#isFull) return;
      // The deadline and other calls get their turn between two files.
      await afterOthers();
      if (this.#signal.aborted) throw new JobError("USAGE", "it took too long and was given up; name a directory or a glob");
      if (entry.isDirectory()) await this.#below(handle, entry.name, above, depth);
      else if (entry.isFile() && (this.#glob?.(above + entry.name) ?? true)) this.#file(handle, entry.name, above + entry.name);
    }
  }

  async #below(handle: DirectoryHandle, name: string, above: string, depth: number): Promise<void> {
    if (PASSED_OVER.includes(name) || depth === DEPTH_MAX) return;
    let below: DirectoryHandle | undefined;
    try {
      below = new DirectoryHandle(handle.at(name));
      await this.#directory(below, `${above}${name}/`, depth + 1);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      this.#unreadable++;
    } finally {
      below?.close();
    }
  }

  #entriesOf(handle: DirectoryHandle): readonly Dirent[] {
    return readdirSync(handle.at("."), { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #file(directory: DirectoryHandle, name: string, path: string): void {
    if (this.#pattern === undefined) {
      this.#add(path);
      return;
    }
    const lines = this.#linesOf(directory, name);
    for (const index of lines.length === 0 ? [] : this.#pattern.matching(lines, PATTERN_MS_MAX)) {
      this.#add(`${path}:${index + 1}:${lines[index]?.slice(0, LINE_CHARACTERS_MAX)}`);
    }
  }

  #linesOf(directory: DirectoryHandle, name: string): readonly string[] {
    try {
      const content = readBoundedFile(directory.at(name), FILE_BYTES_MAX);
      if (content.kind === "too_large") this.#large++;
      if (content.kind !== "content" || content.bytes.includes(0)) return [];
      return content.bytes.toString().split(/\r?\n/);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      this.#unreadable++;
      return [];
    }
  }

  #add(line: string): void {
    this.#bytes += Buffer.byteLength(line) + 1;
    if (this.#bytes > OUTPUT_BYTES_MAX) this.#isFull = true;
    else if (!this.#isFull) this.#found.push(line);
  }
}
