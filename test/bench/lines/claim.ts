import { claimUncontended } from "../claim.ts";
import { lineOf, type Measurement } from "../line.ts";

export const measurement: Measurement = {
  name: "claim",
  measure: async (machine) => [lineOf(await claimUncontended(machine.scratch))],
};
