import { sha256Of, shortFingerprint } from "../json/fingerprint.ts";
import type { Blocker, BlockerKind, Job } from "./job.ts";

/** A blocker with its fingerprint, taken over `{detail, kind}` (contract §2). */
export function blockerOf(kind: BlockerKind, detail: string): Blocker {
  return { kind, detail, fingerprint: shortFingerprint(sha256Of({ detail, kind })) };
}

/** What a tick finds of a job's blocker (contract §3, rules 5 to 5c). */
export type BlockerNews = "none" | "unchanged" | "first_seen" | "changed";

export function blockerNews(job: Job): BlockerNews {
  if (job.blocker === null) return job.status === "BLOCKED" ? "unchanged" : "none";
  if (typeof job.last_blocker_fingerprint !== "string") return "first_seen";
  return job.blocker.fingerprint === job.last_blocker_fingerprint ? "unchanged" : "changed";
}

/** Whether a tick would say BLOCKED_UNCHANGED. */
export function isBlockedUnchanged(job: Job): boolean {
  const news = blockerNews(job);
  return news === "unchanged" || news === "first_seen";
}
