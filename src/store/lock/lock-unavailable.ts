import { whyRefused } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";

/** The lock of a directory could not be had: `why` in words, or what the system said. */
export function lockUnavailable(directory: string, why: string | Error): JobError {
  const [words, cause] = typeof why === "string" ? [why, undefined] : [whyRefused(why), why];
  return new JobError("LOCK_UNAVAILABLE", `${directory}: cannot lock this directory: ${words}. Nothing was changed; try again`, {
    file: directory,
    cause,
  });
}
