import { catchStopSignals } from "../facts/stop-signals.ts";
import type { InboxTrouble } from "../mail/inbox.ts";
import type { WakeMail } from "../mail/wake-mail.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { printableJson } from "./printable.ts";
import { tell } from "./report.ts";
import type { Cli } from "./verb.ts";

type InboxFlags = FleetOptions & { readonly follow?: boolean; readonly harness?: string };

export function addInboxVerb({ program, environment, report }: Cli): void {
  const verb = program.command("inbox").description("read the wake mails, one JSON line each; a mail is a hint, a claim decides");
  withFleetOptions(withExample(verb, "harness-wake inbox --harness script"))
    .option("--follow", "go on as mails come, until told to stop")
    .option("--harness <name>", "only mails for this harness")
    .action(async (flags: InboxFlags) => {
      const fleet = await openFleetFor(flags, environment);
      let troubles = 0;
      const inbox = fleet.openInbox(({ host, error }: InboxTrouble) => {
        troubles++;
        tell(`${host}: ${error}`, environment);
      });
      /** False where nobody reads any more. */
      const print = (mail: WakeMail): boolean => {
        const isWanted = flags.harness === undefined || flags.harness === mail.harness;
        return !isWanted || environment.out(`${printableJson(mail)}\n`);
      };
      if (flags.follow) {
        const signals = catchStopSignals();
        for await (const mail of inbox.listen(signals.stopping)) if (!print(mail)) break;
        signals.release();
      } else {
        for (const mail of await inbox.poll()) print(mail);
      }
      // The lines are the answer; there is no record beside them.
      report({ record: undefined, text: () => "", exit: troubles === 0 || flags.follow ? EXIT.done : EXIT.partly });
    });
}
