import { withExample } from "./example.ts";
import { type FilterFlags, withFilters } from "./fleet-filter.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { recordOf } from "./fleet-record.ts";
import { fleetRows, wholeOf } from "./fleet-rows.ts";
import { placeLine } from "./place-line.ts";
import { line } from "./styled-text.ts";
import type { Cli } from "./verb.ts";

export function addListVerb({ program, environment, report }: Cli): void {
  const verb = program.command("list").description("list the jobs by name, a line each");
  withExample(withFilters(withFleetOptions(verb)), "harness-wake list --status working,offered").action(
    async (flags: FleetOptions & FilterFlags) => {
      const fleet = await openFleetFor(flags, environment);
      const { seen, now, areAllReadable, exit } = await fleetRows(fleet, flags, environment);
      const rows = seen.map(({ row }) => row);
      report({
        record: { ok: areAllReadable, state: "LISTED", jobs: rows.map(recordOf) },
        rows: () => seen.map(wholeOf),
        text: async (screen) => {
          const { fleetTable } = await import("./fleet-table.ts");
          return [...(rows.length === 0 ? [line("no jobs")] : fleetTable(rows, now, screen)), line(placeLine(fleet))];
        },
        exit,
      });
    },
  );
}
