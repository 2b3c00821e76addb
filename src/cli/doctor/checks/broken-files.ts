import { basename, join, relative } from "node:path";
import type { JobError } from "../../../errors/job-error.ts";
import { readBoundedFile } from "../../../facts/read-bounded-file.ts";
import { parseJob } from "../../../job/file/parse-job.ts";
import { JOB_FILE_BYTES_MAX } from "../../../job/limits.ts";
import { decodeText } from "../../../json/decode-text.ts";
import type { Check } from "../check.ts";
import { conflictsIn, conflictWords } from "../conflicts.ts";
import type { Examined } from "../examined.ts";
import { placeOfFault } from "../fault-place.ts";
import { type Finding, ok, type Remedy, trouble } from "../finding.ts";
import { quoted } from "../quoted.ts";

/** A fleet after a bad merge has one cause, not a thousand. */
const FILES_MAX = 20;

/** Of one file; who mends it sees the rest. */
const CONFLICTS_MAX = 5;

export const brokenFilesCheck: Check = {
  name: "job files",
  look: async (examined) => {
    const errors = (await examined.jobs()).flatMap(({ entry }) => (entry.error === undefined ? [] : [entry.error]));
    if (errors.length === 0) return [ok("every job file can be read")];
    const told = await Promise.all(errors.slice(0, FILES_MAX).map((error) => brokenFile(examined, error)));
    if (errors.length <= FILES_MAX) return told;
    const decision = "mend these first, then ask again: harness-wake doctor";
    return [...told, trouble(`and ${errors.length - FILES_MAX} more broken files`, MEANS, { decision })];
  },
};

const MEANS = "its job is not ticked; the others are";

async function brokenFile(examined: Examined, error: JobError): Promise<Finding> {
  const name = basename(error.file ?? "");
  const text = await textOf(examined, name);
  const conflicts = text === undefined ? [] : conflictsIn(text);
  if (conflicts.length > 0) {
    const told = conflicts.slice(0, CONFLICTS_MAX).map(conflictWords);
    const more = conflicts.length > CONFLICTS_MAX ? [`and ${conflicts.length - CONFLICTS_MAX} more`] : [];
    const found = [error.message, ...told, ...more].join("\n");
    return trouble(found, MEANS, { decision: "choose a side of each, take the marker lines out, and commit the file" });
  }
  const place = text === undefined ? undefined : placeOfFault(text, error);
  const where = place === undefined ? "" : ` (line ${place.line}, column ${place.column})`;
  return trouble(`${error.message}${where}`, MEANS, await remedyFor(examined, name));
}

/** Undefined where it cannot be read as text. */
async function textOf(examined: Examined, name: string): Promise<string | undefined> {
  const bytes = examined.isGitStore ? await committedText(examined, await headOf(examined), name) : localText(examined, name);
  return bytes === undefined ? undefined : decodeText(bytes);
}

function localText({ place }: Examined, name: string): Buffer | undefined {
  try {
    const found = readBoundedFile(join(place.jobsDirectory, name), JOB_FILE_BYTES_MAX);
    return found.kind === "content" ? found.bytes : undefined;
  } catch {
    return undefined;
  }
}

async function headOf(examined: Examined): Promise<string> {
  const { head } = await examined.remote();
  return head.state === "found" ? head.value : "";
}

/** What a commit has of a job file, which git has here already. */
async function committedText({ git, place }: Examined, commit: string, name: string): Promise<Buffer | undefined> {
  const path = relative(place.root, join(place.jobsDirectory, name)).replaceAll("\\", "/");
  const read = await git.run(["cat-file", "blob", `${commit}:${path}`]);
  return read.exit_code === 0 ? Buffer.from(read.stdout) : undefined;
}

/** Git's own copy where that is sound; otherwise somebody has to look. */
async function remedyFor(examined: Examined, name: string): Promise<Remedy> {
  const { place, hasRepository, isGitStore } = examined;
  if (!isGitStore && hasRepository && (await isSoundAtHead(examined, name))) {
    const path = relative(place.dir, join(place.jobsDirectory, name));
    return { command: `git restore --source=HEAD --staged --worktree -- ${quoted(path)}` };
  }
  const decision = isGitStore
    ? "mend the file on its branch by hand, or restore an older one that git log names, and push"
    : "mend the file by hand, or move it away if it is no job";
  return { decision };
}

async function isSoundAtHead(examined: Examined, name: string): Promise<boolean> {
  const bytes = await committedText(examined, "HEAD", name);
  const text = bytes === undefined ? undefined : decodeText(bytes);
  if (text === undefined) return false;
  try {
    parseJob(text, name.replace(/\.json$/, ""), name);
    return true;
  } catch {
    return false;
  }
}
