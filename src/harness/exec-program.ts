import type { Usage } from "../callback/decide-on-claim.ts";
import { numberText } from "../json/json.ts";
import type { RunEnd } from "./enclosure/run-enclosed.ts";
import { secretsOf } from "./enclosure/without-secrets.ts";
import { type Outcome, readOutcome } from "./outcome.ts";
import type { Conclusion, GivenAttempt, Program } from "./program.ts";

/** A run of any command: `work --exec`. It is a line for a shell, since that is what people have. */
export function execProgram(command: string, attempt: GivenAttempt): Program {
  let reported: Usage = {};
  return {
    argv: ["sh", "-c", command],
    env: attempt.env,
    stdin: attempt.prompt,
    mounts: [],
    secrets: secretsOf(attempt.env),
    onStdout: () => undefined,
    usage: () => reported,
    conclude(end, lastLines) {
      const conclusion = concludeExec(end, lastLines, attempt.outcomeFile);
      if (conclusion.kind === "outcome") reported = usageIn(conclusion.outcome);
      return conclusion;
    },
    close: async () => undefined,
  };
}

/** Exit 0 is success, and what the run left says more; any other end is a failure, whatever it left (contract §11). */
function concludeExec(end: RunEnd, lastLines: string, outcomeFile: string): Conclusion {
  const complaint = lastLines === "" ? "" : `: ${lastLines}`;
  switch (end.state) {
    case "not_started":
      return { kind: "failed", detail: `the command could not be started: ${end.message}` };
    case "stopped": {
      // Asked to end, it may have left where the work stands.
      const left = readOutcome(outcomeFile);
      return left.kind === "outcome" ? left : { kind: "failed", detail: `stopped: ${end.why}${complaint}` };
    }
    case "ended": {
      if (end.exit_code !== 0) {
        const how = end.exit_code === null ? `was ended by ${end.signal}` : `exited with ${end.exit_code}`;
        return { kind: "failed", detail: `the command ${how}${complaint}` };
      }
      const left = readOutcome(outcomeFile);
      switch (left.kind) {
        case "none":
          return { kind: "nothing_left" };
        case "outcome":
          return left;
        case "broken":
          return { kind: "failed", detail: `the outcome file ${left.why}` };
      }
    }
  }
}

export function usageIn({ tokens_used, cost_usd }: Pick<Outcome, "tokens_used" | "cost_usd">): Usage {
  return {
    ...(tokens_used !== undefined && { tokensUsed: Number(numberText(tokens_used)) }),
    ...(cost_usd !== undefined && { costUsd: Number(numberText(cost_usd)) }),
  };
}
