/** As test/chaos/counts.ts, for races and faults over git, where one try costs a dozen processes. */
const isFull = process.env["HARNESS_WAKE_CHAOS"] === "full";

export const GIT_COUNTS = {
  /** Clones that race each other. Never fewer: it is the crowd that finds the gaps. */
  clones: 6,
  claimRounds: isFull ? 200 : 4,
  tickers: 4,
  dueJobs: 50,
  tickRounds: isFull ? 20 : 1,
  duelRounds: isFull ? 60 : 4,
  /** A death before and after every so many of a pass's git calls. */
  deathEvery: isFull ? 1 : 3,
  /** Of all calls of git and all that each can come to, every so many are tried. */
  faultEvery: isFull ? 1 : 23,
  lateRounds: isFull ? 200 : 6,
  days: isFull ? 90 : 14,
} as const;

/** What a whole test of real processes may take: a hang becomes a failure, and slow machines still pass. */
export const GIT_CHAOS_TIMEOUT_MS = isFull ? 3_600_000 : 300_000;
