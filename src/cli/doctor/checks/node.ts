import { ownNode } from "../../../facts/process-environment.ts";
import type { Check } from "../check.ts";
import { ok } from "../finding.ts";

/** One that is too old never gets here: the program refuses to start on it. */
export const nodeCheck: Check = {
  name: "node",
  look: () => [ok(`Node ${ownNode().version} at ${ownNode().path}`)],
};
