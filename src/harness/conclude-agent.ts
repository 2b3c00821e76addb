import type { AgentReport, AgentSession } from "./agents/agent.ts";
import { sayAgentError } from "./agents/agent-error.ts";
import { withSession } from "./agents/session.ts";
import type { RunEnd } from "./enclosure/run-enclosed.ts";
import { checkOutcome, type Outcome, type ReadOutcome } from "./outcome.ts";
import type { Conclusion, GivenAttempt } from "./program.ts";

/**
 * What a run of an agent came to (contract §11). Its closing record proves that it ended well, and nothing else does. The
 * outcome is the file's where the run left one, since writing it was a deed, else the answer's. `left` is what the file holds.
 */
export function concludeAgent(
  agent: string,
  attempt: Pick<GivenAttempt, "checkpoint" | "step">,
  end: RunEnd,
  report: AgentReport,
  left: ReadOutcome,
): Conclusion {
  if (end.state === "not_started") return { kind: "failed", detail: `${agent} could not be started: ${end.message}` };
  // One that was stopped while it ended well has still ended well.
  if (report.state === "failed") {
    const stopped = end.state === "stopped" ? `stopped: ${end.why}. ` : "";
    return { kind: "failed", detail: stopped + sayAgentError(agent, report.error) };
  }
  if (end.state === "ended" && end.exit_code !== 0) {
    const how = end.exit_code === null ? `was ended by ${end.signal}` : `exited with ${end.exit_code}`;
    return { kind: "failed", detail: `${agent} said that all is well and ${how}` };
  }
  const given = left.kind === "none" && report.outcome !== undefined ? checkOutcome(report.outcome) : left;
  switch (given.kind) {
    case "broken":
      return { kind: "failed", detail: `${left.kind === "none" ? `the answer of ${agent}` : "the outcome file"} ${given.why}` };
    case "none":
      return nothingLeft(attempt, report.session);
    case "outcome":
      return Object.keys(given.outcome).length === 0
        ? nothingLeft(attempt, report.session)
        : { kind: "outcome", outcome: goingOn(attempt, given.outcome, report.session) };
  }
}

function nothingLeft(attempt: Pick<GivenAttempt, "checkpoint" | "step">, session: AgentSession | undefined): Conclusion {
  const checkpoint = session === undefined ? undefined : nextStep(attempt, session);
  return { kind: "nothing_left", ...(checkpoint !== undefined && { checkpoint }) };
}

/** The outcome with the session in its checkpoint, where the job goes on from it. */
function goingOn(
  attempt: Pick<GivenAttempt, "checkpoint" | "step">,
  outcome: Outcome,
  session: AgentSession | undefined,
): Outcome {
  if (session === undefined) return outcome;
  const { checkpoint, result, blocker, fail } = outcome;
  if (checkpoint !== undefined) return { ...outcome, checkpoint: withSession(checkpoint, session) };
  // These move no checkpoint by themselves, and neither may we.
  if (result !== undefined || blocker !== undefined || fail !== undefined) return outcome;
  const next = nextStep(attempt, session);
  return next === undefined ? outcome : { ...outcome, checkpoint: next };
}

/** What the store would make of a run that gives no checkpoint, with the session; undefined where it has no step to raise. */
function nextStep({ checkpoint, step }: Pick<GivenAttempt, "checkpoint" | "step">, session: AgentSession) {
  return step === null ? undefined : withSession({ ...checkpoint, step }, session);
}
