import { probeIdleResume } from "../idle-resume/probe-idle-resume.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { tell } from "./report.ts";
import type { Cli } from "./verb.ts";

export function addProbeVerb({ program, environment, report }: Cli): void {
  const verb = program.command("probe <bc_id>").description("say whether an idle run could be resumed; always STOP");
  withFleetOptions(withExample(verb, "harness-wake probe bc-01234567"))
    .option("--this-bc <bc_id>", "the run that asks", "")
    .action(async (bcId: string, flags: FleetOptions & { readonly thisBc: string }) => {
      const fleet = await openFleetFor(flags, environment);
      const answer = await probeIdleResume(bcId, { thisBc: flags.thisBc, fleet });
      if (!answer.ok) tell(`${answer.state}: ${answer.reason}`, environment);
      report({ record: answer, text: () => `${answer.state}: ${answer.reason}\n`, exit: answer.ok ? EXIT.done : EXIT.refused });
    });
}
