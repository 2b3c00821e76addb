import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freshRepository } from "./git-repository.ts";

/** A git repository with an empty jobs directory, and nothing committed yet. */
export function freshFleet(): { readonly repository: string; readonly jobs: string } {
  const repository = freshRepository();
  const jobs = join(repository, "wake_jobs");
  mkdirSync(jobs);
  return { repository, jobs };
}
