import { within } from "../facts/pause.ts";
import type { Fleet } from "../fleet.ts";
import { rulesInForce } from "../holds/holds.ts";
import { CURSOR_QUOTA_HOLD, findHold, type HoldRule } from "../job/hold.ts";
import { type Road, roadsUnder } from "../job/road.ts";

/** A way to resume another run, where one exists. Called only when no hold shuts it. */
export type ResumeRoad = (bcId: string) => unknown;

export interface ProbeOptions {
  /** The run that asks; it cannot resume itself. */
  readonly thisBc: string;
  readonly resume?: ResumeRoad;
  /** The fleet whose holds count; without one, the built-in hold. */
  readonly fleet?: Pick<Fleet, "store" | "holds">;
}

export interface ProbeAnswer {
  readonly ok: boolean;
  /** Always: a probe never tells anyone to go on. */
  readonly action: "STOP";
  readonly invoke_model: false;
  readonly state: string;
  /** Whether a road was really tried. */
  readonly measured: boolean;
  readonly live_resume: boolean;
  readonly reason: string;
  readonly resume_roads: readonly Road[];
}

const CURSOR_FAMILY = "cursor";

const BC_ID = /^bc-[0-9a-fA-F-]{8,}$/;

/** A road that does not answer is as good as none. */
const ROAD_MS_MAX = 30_000;

/**
 * Says whether an idle run could be resumed (contract §8). It fails closed: whatever is missing, held, broken or slow, the
 * answer is STOP, and no answer ever says `invoke_model: true`. Never throws.
 */
export async function probeIdleResume(bcId: string, options: ProbeOptions): Promise<ProbeAnswer> {
  const { thisBc, resume, fleet } = options;
  const rules = await holdsOver(fleet);
  const roads = roadsUnder(rules);
  const answer = (ok: boolean, state: string, reason: string): ProbeAnswer => {
    return { ok, action: "STOP", invoke_model: false, state, measured: false, live_resume: false, reason, resume_roads: roads };
  };
  if (typeof bcId !== "string" || !BC_ID.test(bcId))
    return answer(false, "BAD_ID", "a run's id is bc- and 8 or more hex digits or dashes");
  if (bcId.toLowerCase() === String(thisBc).toLowerCase()) return answer(false, "NOT_OTHER_RUN", "this is the run that asks");
  if (resume === undefined) return answer(true, "UNMEASURED", "no road to another run has been measured");
  // Every run with a bc- id is a Cursor run, so a hold that covers those covers it, whatever it is called.
  const hold = findHold(rules, [CURSOR_FAMILY]);
  if (hold !== undefined) return answer(true, hold.name, hold.note);
  try {
    const measured: unknown = await within(ROAD_MS_MAX, Promise.resolve(resume(bcId)));
    if (typeof measured !== "object" || measured === null) return answer(false, "ERROR", "the road answered no record");
    return { ...answer(true, "RESUMED", "the road answered"), ...measured, action: "STOP", invoke_model: false, measured: true };
  } catch (error) {
    return answer(false, "ERROR", `the road failed: ${nameOf(error)}`);
  }
}

/** Where the holds cannot be read, the built-in one shuts every road anyway. */
async function holdsOver(fleet: ProbeOptions["fleet"]): Promise<readonly HoldRule[]> {
  try {
    return fleet === undefined ? [CURSOR_QUOTA_HOLD] : await rulesInForce(fleet);
  } catch {
    return [CURSOR_QUOTA_HOLD];
  }
}

/** Only the kind of the error: its message may quote a token. What was thrown may throw itself when it is looked at. */
function nameOf(error: unknown): string {
  try {
    return error instanceof Error && typeof error.name === "string" ? error.name : "unknown";
  } catch {
    return "unknown";
  }
}
