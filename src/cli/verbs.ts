import { addAttemptVerbs } from "./attempt-verbs.ts";
import { addBlockVerbs } from "./block.ts";
import { addCancelVerb } from "./cancel.ts";
import { addClaimVerb } from "./claim.ts";
import { addCompletionVerb } from "./completion.ts";
import { addCreateVerb } from "./create.ts";
import { addDoctorVerb } from "./doctor.ts";
import { addHoldsVerb } from "./holds.ts";
import { addInboxVerb } from "./inbox.ts";
import { addInitVerb } from "./init.ts";
import { addListVerb } from "./list.ts";
import { addProbeVerb } from "./probe.ts";
import { addReportVerb } from "./report-page.ts";
import { addShowVerb } from "./show.ts";
import { addStatusVerb } from "./status.ts";
import { addTickVerb } from "./tick.ts";
import { addUpdateVerb } from "./update.ts";
import type { Cli } from "./verb.ts";
import { addWhyVerb } from "./why.ts";
import { addWorkVerb } from "./work.ts";

/** Adds every verb, in the order in which help shows them. */
export function addVerbs(cli: Cli): void {
  for (const add of VERBS) add(cli);
  addCompletionVerb(cli, (program) => {
    const other = { ...cli, program };
    addTickVerb(other);
    for (const add of VERBS) add(other);
  });
}

const VERBS = [
  addCreateVerb,
  addUpdateVerb,
  addStatusVerb,
  addListVerb,
  addShowVerb,
  addWhyVerb,
  addReportVerb,
  addDoctorVerb,
  addCancelVerb,
  addBlockVerbs,
  addClaimVerb,
  addAttemptVerbs,
  addInboxVerb,
  addHoldsVerb,
  addProbeVerb,
  addInitVerb,
  addWorkVerb,
];
