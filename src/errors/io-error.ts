import { JobError } from "./job-error.ts";

/** The system's name for a failed call: `ENOSPC`; undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && "syscall" in error ? String(error.code) : undefined;
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space",
  EDQUOT: "the disk quota is used up; free some space",
  EROFS: "the file system is read-only",
  ENOENT: "the directory that it should be in is not there; make it",
  EACCES: "this user may not; check the owner, the group and the mode",
  EPERM: "this user may not; check the owner, the group and the mode",
  EMFILE: "too many files are open; raise the limit (ulimit -n)",
};

/** What the system refused, and what to do about it. */
export function whyRefused(cause: unknown): string {
  const errno = errnoOf(cause);
  return errno === undefined ? String(cause) : `${REMEDIES[errno] ?? "the file system refused"} (${errno})`;
}

/** A file system call that failed, told with what to do about it. */
export function ioError(file: string, cause: unknown): JobError {
  return new JobError("IO", `${file}: ${whyRefused(cause)}. The file is as it was`, { file, cause });
}
