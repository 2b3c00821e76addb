/**
 * How often chaos is tried: enough in `npm test` to notice what breaks outright, and with `npm run chaos`
 * (HARNESS_WAKE_CHAOS=full) as often as it takes to meet what is rare.
 */
const isFull = process.env["HARNESS_WAKE_CHAOS"] === "full";

export const COUNTS = {
  /** Processes that race each other. Never fewer: it is the crowd that finds the gaps. */
  rivals: 8,
  raceRounds: isFull ? 200 : 25,
  /** Mails that every rival consumes at once. */
  claimRounds: isFull ? 1_000 : 100,
  /** Mails that two consume at once who reach the directory by different ways. */
  neighbourRounds: isFull ? 500 : 20,
  /** Times that a writer is stopped, or killed, at some moment. Another must start for each that is killed. */
  stopRounds: isFull ? 1_000 : 25,
  writerKills: isFull ? 200 : 5,
  takeoverRounds: isFull ? 200 : 15,
  killRounds: isFull ? 300 : 12,
  jobsUnderKill: 50,
  /** One real death at each kill point, or at every so many of them. Deaths inside the process are tried at all, always. */
  realDeathEvery: isFull ? 1 : 29,
  simulations: isFull ? 3_000 : 400,
  stepsPerSimulation: isFull ? 150 : 80,
  /** Of these one in thousands finds what another did not. */
  workerSchedules: isFull ? 5_000 : 40,
} as const;

/** What a whole test of real processes may take: a hang becomes a failure, and slow machines still pass. */
export const CHAOS_TIMEOUT_MS = isFull ? 3_600_000 : 300_000;
