import type { Mailer } from "../../src/mail/mailer.ts";

/** A mailer whose time is over before it reaches any letter: what a pass promised stays owed. */
export const idleMailer: Mailer = { send: async () => new Map() };
