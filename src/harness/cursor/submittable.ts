import { isJsonObject, type JsonObject } from "../../json/json.ts";
import { fromPlain } from "../../json/plain-json.ts";
import { checkOutcome } from "../outcome.ts";
import { outcomeJsonSchema } from "../outcome-json-schema.ts";
import type { AgentRequest } from "./run-agent.ts";

/** What a run may submit: of this type, or an attempt's outcome, with the rules that no schema says. */
export function submittable(schema: JsonObject | "outcome"): Pick<AgentRequest, "schema" | "check"> {
  if (schema !== "outcome") return { schema };
  const ofOutcome = fromPlain(outcomeJsonSchema(), undefined, "the schema of an outcome");
  if (!isJsonObject(ofOutcome)) throw new TypeError("the schema of an outcome is an object");
  return { schema: ofOutcome, check: whyNoOutcome };
}

function whyNoOutcome(output: JsonObject): string | undefined {
  const read = checkOutcome(output);
  return read.kind === "broken" ? `it ${read.why}` : undefined;
}
