import { formatTime } from "../job/time.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { type FleetOptions, withFleetOptions } from "./fleet-options.ts";
import type { Cli } from "./verb.ts";

export function addDoctorVerb({ program, environment, report }: Cli): void {
  const verb = program.command("doctor").description("look at everything that a fleet needs, and say what mends what is wrong");
  withExample(withFleetOptions(verb), "harness-wake doctor").action(async (flags: FleetOptions) => {
    const { Examined } = await import("./doctor/examined.ts");
    const { CHECKS } = await import("./doctor/checks.ts");
    const { runChecks } = await import("./doctor/run-checks.ts");
    environment.onProgress?.("making the checks");
    const examined = new Examined(flags, environment);
    const findings = await runChecks(CHECKS, examined);
    const trouble_count = findings.filter(({ level }) => level === "trouble").length;
    report({
      record: { ok: trouble_count === 0, state: "EXAMINED", now: formatTime(examined.now), trouble_count, findings },
      text: async (screen) => (await import("./doctor/doctor-text.ts")).doctorLines(findings, screen),
      exit: trouble_count === 0 ? EXIT.done : EXIT.partly,
    });
  });
}
