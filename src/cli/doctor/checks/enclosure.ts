import { findEnclosure } from "../../../harness/enclosure/find-enclosure.ts";
import type { Check } from "../check.ts";
import { note, ok } from "../finding.ts";

/** How a worker on this machine would close its runs in (contract §11). */
export const enclosureCheck: Check = {
  name: "enclosure",
  look: async ({ environment }) => {
    const { kind, passedOver } = await findEnclosure({ choice: "auto", env: environment.env });
    if (kind === "bwrap") return [ok("a worker here closes runs in by bubblewrap")];
    const [first] = passedOver;
    const why = first === undefined ? "" : ` (${first.kind}: ${first.why})`;
    const means = "matters only where harness-wake work runs: less is kept from an agent";
    return [
      note(`a worker here closes runs in by "${kind}"${why}`, means, {
        decision: "install bubblewrap if agents run on this machine",
      }),
    ];
  },
};
