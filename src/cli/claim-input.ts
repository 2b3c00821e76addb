import type { Command } from "commander";
import type { ClaimRef } from "../callback/decide-on-claim.ts";
import { JobError } from "../errors/job-error.ts";
import type { JsonObject } from "../json/json.ts";
import type { Environment } from "./environment.ts";
import { type FleetOptions, type LandOptions, withFleetOptions, withLand } from "./fleet-options.ts";
import { readObject } from "./json-input.ts";
import { requireAmount, requireInteger } from "./option-value.ts";
import { type WorkerFlags, withWorkerId } from "./worker-id.ts";

/** What renew, finish and fail share: the claim that they act on, and what the attempt has used so far. */
export interface ClaimInputFlags extends FleetOptions, LandOptions, WorkerFlags {
  readonly harness?: string;
  readonly tokensUsed?: number;
  readonly costUsd?: number;
}

export function withClaimInput(command: Command): Command {
  return withLand(
    withFleetOptions(
      withWorkerId(
        command
          .argument("[claim]", "what claim answered: as JSON, as a file, or - for standard input", "-")
          .option("--harness <name>", "the caller's own harness, for holds to look at")
          .option("--tokens-used <n>", "this attempt's own total so far", requireInteger)
          .option("--cost-usd <amount>", "what this attempt has cost so far; leave it out where it is unknown", requireAmount),
        "who claimed",
      ),
    ),
  );
}

/** The claim that the answer of `claim` holds. Throws JobError SCHEMA. */
export function requireClaim(argument: string, environment: Environment): ClaimRef {
  const answer = readObject(argument, environment);
  return {
    job_id: requireText(answer, "job_id"),
    attempt_id: requireText(answer, "attempt_id"),
    claim_id: requireText(answer, "claim_id"),
  };
}

function requireText(answer: JsonObject, field: string): string {
  const value = answer[field];
  if (typeof value === "string") return value;
  throw new JobError("SCHEMA", `the claim has no ${field}; give what claim answered, as it was`, { field });
}
