import { FakeMailer } from "./fake-mailer.ts";
import type { LineLog } from "./line-log.ts";

/** A mailer that appends the attempt of every letter to a log, which no store can make look better. */
export function loggingMailer(log: LineLog<string>): FakeMailer {
  const mailer = new FakeMailer();
  mailer.onSent = (letters) => {
    for (const { attempt_id } of letters) log.append(attempt_id);
  };
  return mailer;
}
