import { dirname } from "node:path";
import { momentOf } from "../../job/job.ts";
import type { RunRequest } from "../harness.ts";
import type { GivenAttempt } from "../program.ts";
import type { Authority } from "../tools/tool.ts";
import { agentPrompt } from "./agent-prompt.ts";

/** Far more than a run needs that comes to something. */
const TURNS_MAX = 200;

/** A model that fills the form wrongly three times does not get it right. */
const REJECTIONS_MAX = 3;

/** What a run needs at its end to tell what it came to, before its worker ends it. */
const CLOSING_MS = 15_000;

/** Timers hold no longer time. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export interface AttemptChoice {
  readonly authority: Authority;
  readonly maxTurns: number | undefined;
}

/** What an attempt asks of a run: to do the job's next step, and to submit an outcome. `now` is in seconds. */
export function attemptRequest(attempt: GivenAttempt, { authority, maxTurns }: AttemptChoice, now: number): RunRequest {
  const leftMs = Math.max(0, Math.min(attempt.timeLimitMs, (momentOf(attempt.deadline) - now) * 1000, TIMER_MS_MAX));
  return {
    prompt: agentPrompt(authority),
    message: attempt.prompt,
    directory: attempt.directory,
    mounts: attempt.writable.map((path) => ({ path, access: "write" })),
    scratch: dirname(attempt.outcomeFile),
    authority,
    limits: {
      turnsMax: maxTurns ?? TURNS_MAX,
      timeMsMax: Math.floor(Math.max(leftMs - CLOSING_MS, leftMs / 2)),
      rejectionsMax: REJECTIONS_MAX,
    },
    schema: "outcome",
    tokensMax: attempt.tokens_left,
  };
}
