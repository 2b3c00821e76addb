import { expect, test } from "vitest";
import { SeenMails } from "../../src/mail/seen-mails.ts";
import { wakeMail } from "../support/wake-letter.ts";

test("a mail is new once, and a repeated offer of its attempt is new again", () => {
  const seen = new SeenMails();
  expect(seen.add(wakeMail(1))).toBe(true);
  expect(seen.add(wakeMail(1))).toBe(false);
  expect(seen.add(wakeMail(1, "2026-12-01T00:00:00Z"))).toBe(true);
  expect(seen.add(wakeMail(2))).toBe(true);
});

test("what was seen is remembered in bounds: the oldest is forgotten first, and what comes again counts as young", () => {
  const seen = new SeenMails();
  for (let number = 0; number < 10_000; number++) seen.add(wakeMail(number));
  expect(seen.add(wakeMail(0))).toBe(false);
  seen.add(wakeMail(10_000));
  expect(seen.add(wakeMail(0))).toBe(false);
  expect(seen.add(wakeMail(2))).toBe(false);
  expect(seen.add(wakeMail(1))).toBe(true);
});
