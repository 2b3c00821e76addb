import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errnoOf } from "../errors/io-error.ts";
import type { Git } from "./git.ts";
import { complaintOf } from "./git-words.ts";
import { failed, found, type Looked } from "./looked.ts";

export interface AttributesFile {
  /** From the top of the repository. */
  readonly path: string;
  readonly id: string;
}

/** What git does to a file between a commit and a work tree, and whoever writes the commit directly leaves out. */
const CONVERSIONS = ["filter", "working-tree-encoding"] as const;

/**
 * Which of these paths git would convert in a work tree, and how (`filter=lfs`), by a commit's `.gitattributes` files and the
 * user's own. Git answers from an index that holds those files alone; it lies in a temp directory and is gone afterwards.
 */
export async function conversionsOf(
  git: Git,
  attributesFiles: readonly AttributesFile[],
  paths: readonly string[],
): Promise<Looked<ReadonlyMap<string, string>>> {
  let place: string;
  try {
    place = mkdtempSync(join(tmpdir(), "harness-wake-index-"));
  } catch (cause) {
    return failed(`no temp directory can be made (${errnoOf(cause) ?? cause}); set TMPDIR to a place that can be written`);
  }
  try {
    const env = { GIT_INDEX_FILE: join(place, "index") };
    if (attributesFiles.length > 0) {
      const entries = attributesFiles.map(({ path, id }) => `100644 ${id}\t${path}\0`).join("");
      const made = await git.run(["update-index", "-z", "--index-info"], { input: entries, env });
      if (made.exit_code !== 0) return failed(complaintOf(made));
    }
    const input = paths.map((path) => `${path}\0`).join("");
    const asked = await git.run(["check-attr", "-z", "--cached", "--stdin", ...CONVERSIONS], { input, env });
    if (asked.exit_code !== 0) return failed(complaintOf(asked));
    return readAnswer(asked.stdout, paths);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const NONE = ["unspecified", "unset", "set"];

/** Path, attribute and value, each ended by NUL, for every path and attribute that was asked. */
function readAnswer(stdout: string, paths: readonly string[]): Looked<ReadonlyMap<string, string>> {
  const fields = stdout.split("\0").slice(0, -1);
  if (fields.length !== paths.length * CONVERSIONS.length * 3) return failed("git check-attr did not answer for every path");
  const conversions = new Map<string, string>();
  for (let at = 0; at < fields.length; at += 3) {
    const [path = "", attribute, value = ""] = fields.slice(at, at + 3);
    if (!NONE.includes(value)) conversions.set(path, `${attribute}=${value}`);
  }
  return found(conversions);
}
