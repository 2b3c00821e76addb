import { claimAgainstPlainPush, claimsASecond, landedTick } from "../git.ts";
import { lineOf, type Measurement } from "../line.ts";

export const measurement: Measurement = {
  name: "git",
  measure: async () => [await claimAgainstPlainPush(), ...(await claimsASecond()), await landedTick()].map(lineOf),
};
