import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";
import { z } from "../../json/zod.ts";

const RECORD = "worktree.json";

const buildSchema = () =>
  z.strictObject({
    /** The worktree. */
    directory: z.string(),
    /** The commit that it was made from. */
    base: z.string(),
    /** The directory that all worktrees of its repository share. */
    common: z.string(),
    /** Git's own directory for it, and its links as git wrote them; absent until the worktree was made whole. */
    whole: z.optional(
      z.strictObject({
        own: z.string(),
        links: z.array(z.strictObject({ path: z.string(), text: z.nullable(z.string()) })),
      }),
    ),
    worker: z.strictObject({
      host: z.string(),
      boot_id: z.string(),
      pid_namespace: z.string(),
      pid: z.number(),
      started_at: z.string(),
    }),
  });

/** What is remembered of a worktree while it stands, in a directory beside it that no run may write. */
export type WorktreeRecord = z.infer<ReturnType<typeof buildSchema>>;

export function writeRecord(directory: string, record: WorktreeRecord): void {
  const fresh = join(directory, `${RECORD}.new`);
  writeFileSync(fresh, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, join(directory, RECORD));
}

/** The record in this directory; undefined where there is none, or none that can be read. */
export function readRecord(directory: string): WorktreeRecord | undefined {
  try {
    const parsed = buildSchema().safeParse(JSON.parse(readFileSync(join(directory, RECORD), "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** The directories below `parent` that hold records. */
export function recordDirectories(parent: string): readonly string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.endsWith(RECORD_SUFFIX))
      .map((entry) => join(parent, entry.name));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** A worktree's record stands in a directory of its name with this behind it. */
export const RECORD_SUFFIX = ".record";
