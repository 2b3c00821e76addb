import type { MailOutcome } from "../../src/job/moves/delivery.ts";
import type { Letter, Mailer } from "../../src/mail/mailer.ts";

export const FAKE_HOST = "https://ntfy.invalid/topic";

/** - `unreached`: the pass's time ran out before any letter. - `crash`: the process dies while it sends. */
export type MailWeather = "up" | "down" | "unreached" | "crash";

/** A mailer that obeys the weather, and keeps every letter that left. */
export class FakeMailer implements Mailer {
  weather: MailWeather;
  readonly sent: Letter[] = [];
  /** Runs once letters are on their way and before their receipts are written: where somebody else may act. */
  onSent: (letters: readonly Letter[]) => Promise<void> | void = () => undefined;

  constructor(weather: MailWeather = "up") {
    this.weather = weather;
  }

  async send(letters: readonly Letter[]): Promise<ReadonlyMap<string, MailOutcome>> {
    if (this.weather === "crash") throw new Error("the process died while it mailed");
    if (this.weather === "unreached") return new Map();
    if (this.weather === "up") this.sent.push(...letters);
    await this.onSent(letters);
    return new Map(letters.map(({ attempt_id }) => [attempt_id, OUTCOMES[this.weather === "up" ? "up" : "down"]]));
  }
}

const OUTCOMES = {
  up: { carrier: "MAIL", host: FAKE_HOST, http_status: 200 },
  down: { carrier: "FAILED", host: FAKE_HOST, http_status: 503, error: "no host took it" },
} as const satisfies Record<string, MailOutcome>;
