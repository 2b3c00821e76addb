import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import type { MailOutcome } from "../../src/job/moves/delivery.ts";
import { MAILS_AT_ONCE, NtfyMailer, type NtfyMailerOptions, PASS_TIMEOUTS_MAX, TRIES_MAX } from "../../src/mail/ntfy-mailer.ts";
import { HandClock } from "../support/hand-clock.ts";
import { type NtfyServer, startNtfyServer } from "../support/ntfy-server.ts";
import { freshTopic, ntfyUnderTest } from "../support/ntfy-under-test.ts";
import { wakeLetter, wakeLetters } from "../support/wake-letter.ts";

const TOPIC = "wakes";
/** Only for hosts that hang: long enough for a loaded machine to answer the others in. */
/** Waited for where no host answers, and nowhere else: so a busy machine does not matter. */
const TIMEOUT_MS = 30_000;

let first: NtfyServer;
let second: NtfyServer;
let clock: HandClock;

beforeEach(async () => {
  first = await startNtfyServer();
  second = await startNtfyServer();
  clock = new HandClock();
});

afterEach(async () => {
  await first.down();
  await second.down();
});

function mailer(options: Partial<NtfyMailerOptions> = {}): NtfyMailer {
  const urls = [`${first.url}/${TOPIC}`, `${second.url}/${TOPIC}`];
  return new NtfyMailer({ urls, timeoutMs: TIMEOUT_MS, clock, pause: clock.pause, ...options });
}

async function sendOne(options: Partial<NtfyMailerOptions> = {}): Promise<MailOutcome | undefined> {
  const letter = wakeLetter(1);
  return (await mailer(options).send([letter])).get(letter.attempt_id);
}

const viaFirst = () => ({ carrier: "MAIL", host: first.url, http_status: 200 });
const viaSecond = () => ({ carrier: "MAIL", host: second.url, http_status: 200 });

test("a mail reaches its topic as it was sent, title and tags included", async () => {
  const ntfy = await ntfyUnderTest();
  try {
    const topic = freshTopic();
    const letter = wakeLetter(1);
    const outcomes = await new NtfyMailer({ urls: [`${ntfy.url}/${topic}`], timeoutMs: 30_000, clock: systemClock }).send([
      letter,
    ]);
    expect([...outcomes]).toEqual([[letter.attempt_id, { carrier: "MAIL", host: ntfy.url, http_status: 200 }]]);
    const cached = await (await fetch(`${ntfy.url}/${topic}/json?poll=1`)).text();
    const { message, title, tags } = JSON.parse(cached);
    expect({ message, title, tags }).toEqual({ message: letter.message, title: letter.title, tags: letter.tags });
  } finally {
    await ntfy.close();
  }
});

test("no letters make no request", async () => {
  expect(await mailer().send([])).toEqual(new Map());
  expect(first.requests).toEqual([]);
});

describe("hosts are tried in order until one answers 200 with the message as it was sent", () => {
  test("the first one that takes it is the only one asked", async () => {
    expect(await sendOne()).toEqual(viaFirst());
    expect(second.requests).toEqual([]);
  });

  test.each([400, 401, 403, 404, 413])("a %i goes to the next host at once", async (status) => {
    first.orderPublish({ kind: "status", status });
    expect(await sendOne()).toEqual(viaSecond());
    expect(first.requests).toHaveLength(1);
    expect(clock.pausesMs).toEqual([]);
  });

  test.each(["html", "altered", "attachment", "attachment-beside", "redirect"] as const)(
    "a host that answers with %s is FAILED, and the next one is asked",
    async (kind) => {
      first.orderPublish({ kind, to: `${second.url}/elsewhere` });
      second.orderPublish({ kind, to: `${first.url}/elsewhere` });
      expect(await sendOne()).toMatchObject({
        carrier: "FAILED",
        host: second.url,
        http_status: kind === "redirect" ? 302 : 200,
      });
      expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
    },
  );

  test("the failure of the last host is the one that is told", async () => {
    first.orderPublish({ kind: "status", status: 403 });
    second.orderPublish({ kind: "status", status: 413 });
    expect(await sendOne()).toEqual({ carrier: "FAILED", host: second.url, http_status: 413, error: "HTTP 413" });
  });
});

describe("429 and 5xx are retried within the pass", () => {
  test.each([429, 500, 502, 503])("a %i is asked again, with growing pauses", async (status) => {
    first.orderPublish({ kind: "status", status }, 2);
    expect(await sendOne()).toEqual(viaFirst());
    expect(clock.pausesMs).toEqual([250, 500]);
  });

  test("a host that stays busy is given up after a few tries, and the next one is asked", async () => {
    first.orderPublish({ kind: "status", status: 429 }, 10);
    expect(await sendOne()).toEqual(viaSecond());
    expect(first.requests).toHaveLength(TRIES_MAX);
  });

  test("where every host stays busy, the mail is FAILED with the status", async () => {
    first.orderPublish({ kind: "status", status: 429 }, 10);
    second.orderPublish({ kind: "status", status: 503 }, 10);
    expect(await sendOne()).toEqual({ carrier: "FAILED", host: second.url, http_status: 503, error: "HTTP 503" });
  });

  test("Retry-After is honoured", async () => {
    first.orderPublish({ kind: "status", status: 429, retryAfter: "7" });
    expect(await sendOne()).toEqual(viaFirst());
    expect(clock.pausesMs).toEqual([7_000]);
  });

  test("a host that says Retry-After is left alone by the other letters too", async () => {
    first.orderPublish({ kind: "status", status: 429, retryAfter: "5" });
    const { promise: waited, resolve: endPauses } = Promise.withResolvers<void>();
    let paused = 0;
    const sending = mailer({
      pause: (leastMs, mostMs) => {
        paused++;
        void clock.pause(leastMs, mostMs);
        clock.ms = 0;
        return waited;
      },
    }).send(wakeLetters(30));
    await first.until(() => paused === MAILS_AT_ONCE || first.requests.length >= 30);
    expect(first.requests.length).toBeLessThanOrEqual(MAILS_AT_ONCE);
    clock.ms = 5_000;
    endPauses();
    expect([...(await sending).values()]).toEqual(Array.from({ length: 30 }, viaFirst));
  });

  test.each(["3600", "Wed, 30 Nov 2099 12:00:00 GMT"])(
    "a Retry-After past the pass's time (%s) goes to the next host instead of asking early",
    async (retryAfter) => {
      first.orderPublish({ kind: "status", status: 503, retryAfter }, 10);
      const outcomes = await mailer().send(wakeLetters(20));
      expect([...outcomes.values()]).toEqual(Array.from({ length: 20 }, viaSecond));
      expect(first.requests.length).toBeLessThanOrEqual(MAILS_AT_ONCE);
      expect(clock.pausesMs).toEqual([]);
    },
  );

  test("a 500 that follows a real delivery makes a duplicate, never a loss", async () => {
    first.orderPublish({ kind: "status", status: 500, delivered: true });
    expect(await sendOne()).toEqual(viaFirst());
    expect(first.messages(TOPIC).map(({ message }) => message)).toEqual([wakeLetter(1).message, wakeLetter(1).message]);
  });
});

describe("a time-out or a reset goes to the next host at once, and that host is left out for the rest of the pass", () => {
  test.each(["hang", "half-answer", "reset"] as const)("%s", async (kind) => {
    first.orderPublish({ kind }, 200);
    const outcomes = await mailer({ timeoutMs: 3_000 }).send(wakeLetters(200));
    expect(outcomes.size).toBe(200);
    expect(new Set([...outcomes.values()].map(({ carrier, host }) => `${carrier} ${host}`))).toEqual(
      new Set([`MAIL ${second.url}`]),
    );
    expect(first.requests.length).toBeLessThanOrEqual(MAILS_AT_ONCE);
    expect(clock.pausesMs).toEqual([]);
  });

  test("so does a host that is down", async () => {
    await first.down();
    expect(await sendOne()).toEqual(viaSecond());
  });

  test("a host that hangs is asked again in the next pass", async () => {
    first.orderPublish({ kind: "reset" });
    const again = mailer();
    await again.send([wakeLetter(1)]);
    expect((await again.send([wakeLetter(2)])).get(wakeLetter(2).attempt_id)).toEqual(viaFirst());
  });

  test("two topics of one host that is silent are one silent host", async () => {
    first.orderPublish({ kind: "reset" }, 10);
    const urls = [`${first.url}/one`, `${first.url}/two`, `${second.url}/${TOPIC}`];
    expect(await sendOne({ urls })).toEqual(viaSecond());
    expect(first.requests).toHaveLength(1);
  });

  test("where all hosts are down, every mail is FAILED without a status", async () => {
    await first.down();
    await second.down();
    const outcomes = [...(await mailer().send(wakeLetters(20))).values()];
    expect(outcomes).toHaveLength(20);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ carrier: "FAILED", http_status: null });
    expect(outcomes[0]?.error).toContain("ECONNREFUSED");
  });
});

describe("the time of a pass", () => {
  /** A clock on which the last answers of the first letters use the time up. */
  const slowAfter = (server: NtfyServer, requests: number) => ({
    now: () => clock.now(),
    monotonic: () => (server.requests.length >= requests ? PASS_TIMEOUTS_MAX * TIMEOUT_MS : 0),
  });

  test("mail that it did not reach is FAILED as not reached: the mailer answers for every letter", async () => {
    const outcomes = [...(await mailer({ clock: slowAfter(first, 20) }).send(wakeLetters(100))).values()];
    expect(outcomes).toHaveLength(100);
    const mailed = outcomes.filter(({ carrier }) => carrier === "MAIL");
    expect(mailed.length).toBeGreaterThanOrEqual(19);
    expect(mailed.length).toBeLessThan(20 + MAILS_AT_ONCE);
    const notReached = { carrier: "FAILED", host: first.url, http_status: null, error: "not reached" };
    for (const outcome of outcomes) expect(outcome).toEqual(outcome.carrier === "MAIL" ? viaFirst() : notReached);
  });

  test("so it is where one of the hosts was left out before", async () => {
    await first.down();
    const outcomes = [...(await mailer({ clock: slowAfter(second, 20) }).send(wakeLetters(100))).values()];
    const notReached = { carrier: "FAILED", host: second.url, http_status: null, error: "not reached" };
    for (const outcome of outcomes) expect(outcome).toEqual(outcome.carrier === "MAIL" ? viaSecond() : notReached);
    expect(outcomes).toContainEqual(notReached);
  });

  test("no pause is begun that would outlast it", async () => {
    first.orderPublish({ kind: "status", status: 429, retryAfter: String((PASS_TIMEOUTS_MAX * TIMEOUT_MS) / 1000) });
    expect(await sendOne()).toEqual(viaSecond());
    expect(clock.pausesMs).toEqual([]);
  });
});

test("mails of one pass go out a few at once, never more", async () => {
  first.orderPublish({ kind: "hang" }, MAILS_AT_ONCE);
  const sending = mailer({ timeoutMs: 3_000 }).send(wakeLetters(40));
  await first.until(() => first.open === MAILS_AT_ONCE);
  await sending;
  expect(first.openMost).toBe(MAILS_AT_ONCE);
  expect(second.openMost).toBeLessThanOrEqual(MAILS_AT_ONCE);
});

describe("secrets", () => {
  const SECRET = "tk_plantedsecret";

  test("a token travels as Bearer", async () => {
    await sendOne({ token: SECRET });
    expect(first.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test("a user and password travel as Basic", async () => {
    await sendOne({ token: `user:${SECRET}` });
    expect(first.requests[0]?.headers.authorization).toBe(`Basic ${btoa(`user:${SECRET}`)}`);
  });

  test("credentials in an url go over the token, and are not in the host", async () => {
    const url = first.url.replace("://", `://us%40er:${SECRET}@`);
    const outcome = await sendOne({ urls: [`${url}/${TOPIC}`], token: "tk_other" });
    expect(first.requests[0]?.headers.authorization).toBe(`Basic ${btoa(`us@er:${SECRET}`)}`);
    expect(outcome).toEqual(viaFirst());
  });

  test("an url's password without a user is not lost", async () => {
    await sendOne({ urls: [`${first.url.replace("://", `://:${SECRET}@`)}/${TOPIC}`] });
    expect(first.requests[0]?.headers.authorization).toBe(`Basic ${btoa(`:${SECRET}`)}`);
  });

  test("without a token nothing is sent", async () => {
    await sendOne();
    expect(first.requests[0]?.headers.authorization).toBeUndefined();
  });

  test.each(["http://ntfy.example.org", "http://10.0.0.7", "http://127.0.0.1.example.org", "http://localhost.example.org"])(
    "a token over plain http to %s is refused, without naming it or the topic",
    (origin) => {
      const build = () => mailer({ urls: [`${origin}/${TOPIC}`], token: SECRET });
      expect(build).toThrow(expect.objectContaining({ code: "CONFIG", message: expect.not.stringContaining(SECRET) }));
      expect(build).toThrow(origin);
      expect(build).toThrow(expect.objectContaining({ message: expect.not.stringContaining(TOPIC) }));
      expect(() => mailer({ urls: [`${origin}/${TOPIC}`] })).not.toThrow();
      const own = origin.replace("://", `://user:${SECRET}@`);
      expect(() => mailer({ urls: [`${own}/${TOPIC}`] })).toThrow(
        expect.objectContaining({ code: "CONFIG", message: expect.not.stringContaining(SECRET) }),
      );
    },
  );

  test.each([`${SECRET}\n`, `${SECRET} `, `${SECRET}é`])("a token that no header can carry is refused by name: %j", (token) => {
    expect(() => mailer({ token })).toThrow(
      expect.objectContaining({ code: "CONFIG", message: expect.not.stringContaining(SECRET) }),
    );
  });

  test("credentials in an url that cannot be decoded are refused by name", () => {
    expect(() => mailer({ urls: [`https://us%zzer:${SECRET}@ntfy.example.org/${TOPIC}`] })).toThrow(
      expect.objectContaining({ code: "CONFIG", message: expect.not.stringContaining(SECRET) }),
    );
  });

  test("a redirect carries no token elsewhere", async () => {
    first.orderPublish({ kind: "redirect", to: `${second.url}/${TOPIC}` });
    await sendOne({ urls: [`${first.url}/${TOPIC}`], token: SECRET });
    expect(second.requests).toEqual([]);
  });

  test.each(["reset", "hang", "html", "altered", "attachment"] as const)("no outcome holds one: %s", async (kind) => {
    const withSecret = (url: string): string => `${url.replace("://", `://user:${SECRET}@`)}/${TOPIC}`;
    first.orderPublish({ kind });
    second.orderPublish({ kind });
    const outcome = await sendOne({ urls: [withSecret(first.url), withSecret(second.url)], timeoutMs: 300 });
    expect(outcome).toMatchObject({ carrier: "FAILED", host: second.url });
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
  });
});
