import type { Holds } from "../../src/holds/holds.ts";

/** Holds to which nobody has added any; a fleet of parts has the built-in one all the same. */
export const noHolds: Holds = { inForce: async () => [] };
