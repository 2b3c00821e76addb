import { type Answer, type ClaimRef, consumeDelivery, finishDelivery } from "../../src/callback/index.ts";
import type { Seconds } from "../../src/job/time.ts";
import { cancelJob } from "../../src/owner/change-job.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { Row } from "../../src/wake/summary.ts";
import { openGitFleet } from "./git-fleet.ts";
import { LineLog } from "./line-log.ts";
import { loggingMailer } from "./logging-mailer.ts";

/**
 * A rival with a clone of its own. A deed arms it, `"go"` lets it act. A claim that may run a model goes into the log
 * before it is answered, one write a line: that log is what was seen, whatever the remote says.
 */
const [clone = "", claims = "", mails = ""] = process.argv.slice(2);

export type Deed =
  | { readonly deed: "claim"; readonly now: Seconds; readonly workerId: string; readonly mail: object }
  | { readonly deed: "tick"; readonly now: Seconds; readonly workerId: string }
  | {
      readonly deed: "finish";
      readonly now: Seconds;
      readonly workerId: string;
      readonly claim: ClaimRef;
      readonly checkpoint?: Readonly<Record<string, unknown>>;
      readonly result?: unknown;
    }
  | { readonly deed: "cancel"; readonly now: Seconds; readonly jobId: string };

export type GitRivalMessage =
  | "armed"
  | { readonly answer: Answer }
  | { readonly rows: readonly Row[]; readonly delivered: number }
  | { readonly thrown: string };

let now = 0;
let armed: Deed | undefined;
const fleet = await openGitFleet(clone, () => now);
const claimLog = new LineLog<string>(claims);
const mailer = loggingMailer(new LineLog(mails));

process.on("message", (message: Deed | "go") => {
  if (message !== "go") {
    armed = message;
    now = message.now;
    tell("armed");
  } else if (armed !== undefined) {
    act(armed).then(tell, (error: unknown) => tell({ thrown: String(error) }));
  }
});
process.on("disconnect", () => process.exit());

async function act(deed: Deed): Promise<GitRivalMessage> {
  switch (deed.deed) {
    case "claim": {
      const answer = await consumeDelivery(fleet, deed.mail, { workerId: deed.workerId });
      if (answer.invoke_model) claimLog.append(answer.attempt_id);
      // Whole numbers past 2^53 could not cross the channel; nobody here looks at them.
      const { ok, state, invoke_model, job_id, attempt_id } = answer;
      return { answer: { ok, state, invoke_model, job_id, attempt_id } };
    }
    case "tick": {
      const { jobs, delivered_count } = await runTick({ ...fleet, mailer }, { workerId: deed.workerId });
      return { rows: jobs, delivered: delivered_count };
    }
    case "finish": {
      const { claim, workerId, checkpoint, result } = deed;
      return {
        answer: await finishDelivery(fleet, claim, {
          workerId,
          ...(checkpoint !== undefined && { checkpoint }),
          ...(result !== undefined && { result }),
        }),
      };
    }
    case "cancel":
      return { answer: await cancelJob(fleet, deed.jobId, "raced") };
  }
}

function tell(message: GitRivalMessage): void {
  process.send?.(message);
}
