import type { Mailer } from "../../src/mail/mailer.ts";

/** A mailer whose host takes every letter. */
export const acceptingMailer: Mailer = {
  send: async (letters) =>
    new Map(
      letters.map(({ attempt_id }) => [
        attempt_id,
        { carrier: "MAIL", host: "https://ntfy.example.net/harbor", http_status: 200 },
      ]),
    ),
};
