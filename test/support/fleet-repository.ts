import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "../../src/wake/summary.ts";
import { commitAll, freshRepository } from "./git-repository.ts";

export const FLEET = join(import.meta.dirname, "../fixtures/fleet");

/** What a tick with these flags does to one job of the fleet. */
export interface ExpectedTick {
  readonly action: Row["action"];
  readonly reason?: string;
  readonly code?: string;
  readonly file?: string;
  readonly status_after?: string;
  readonly writes: boolean;
  readonly attempt_id?: string;
  readonly next_wake_at?: string;
  readonly no_progress_count?: number;
  readonly unclaimed_count?: number;
  readonly fresh_lease?: boolean;
  readonly receipt?: string;
  /** How many `wake` receipts of the attempt stand afterwards. */
  readonly wake_receipts?: number;
  readonly keeps_text?: readonly string[];
  readonly keeps_keys?: readonly string[];
  readonly mailed?: boolean;
}

export interface ExpectedFleet {
  readonly now: string;
  readonly counts: Readonly<Record<Row["action"], number>>;
  /** By job id; a broken file by its own name. */
  readonly jobs: Readonly<Record<string, ExpectedTick & { readonly with_deliver?: Partial<ExpectedTick> }>>;
}

export function expectedFleet(): ExpectedFleet {
  return JSON.parse(readFileSync(join(FLEET, "expected.json"), "utf8"));
}

/** The fleet fixture, all of it committed, in a fresh git repository without a remote. */
export function fleetRepository(): string {
  const directory = freshRepository();
  for (const part of ["wake_jobs", "p"]) cpSync(join(FLEET, part), join(directory, part), { recursive: true });
  commitAll(directory, "the fleet");
  return directory;
}
