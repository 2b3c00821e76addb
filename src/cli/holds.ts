import { rulesInForce } from "../holds/holds.ts";
import { roadsUnder } from "../job/road.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { table } from "./table.ts";
import type { Cli } from "./verb.ts";

export function addHoldsVerb({ program, environment, report }: Cli): void {
  const verb = program.command("holds").description("list the holds in force and the roads they shut");
  withFleetOptions(withExample(verb, "harness-wake holds")).action(async (flags: FleetOptions) => {
    const holds = await rulesInForce(await openFleetFor(flags, environment));
    const roads = roadsUnder(holds);
    const holdTable = table(
      ["HOLD", "COVERS NAMES WITH", "NOTE"],
      holds.map((hold) => [hold.name, hold.match.join(", "), hold.note]),
    );
    const roadTable = table(
      ["ROAD", "MEASURED", "ENABLED", "STATE"],
      roads.map((road) => [road.road, `${road.measured}`, `${road.enabled}`, road.state]),
    );
    report({ record: { ok: true, state: "HOLDS", holds, roads }, text: () => `${holdTable}\n${roadTable}`, exit: EXIT.done });
  });
}
