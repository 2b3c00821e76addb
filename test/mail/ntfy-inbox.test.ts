import { EventEmitter, once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import type { InboxTrouble } from "../../src/mail/inbox.ts";
import { NtfyInbox, type NtfyInboxOptions } from "../../src/mail/ntfy-inbox.ts";
import { NtfyMailer } from "../../src/mail/ntfy-mailer.ts";
import { formatMail, type WakeMail } from "../../src/mail/wake-mail.ts";
import { HandClock } from "../support/hand-clock.ts";
import { type NtfyServer, startNtfyServer } from "../support/ntfy-server.ts";
import { freshTopic, ntfyUnderTest } from "../support/ntfy-under-test.ts";
import { wakeLetter, wakeMail } from "../support/wake-letter.ts";

const TOPIC = "wakes";
const TIMEOUT_MS = 30_000;

let first: NtfyServer;
let second: NtfyServer;
let clock: HandClock;
let troubles: InboxTrouble[];

beforeEach(async () => {
  first = await startNtfyServer();
  second = await startNtfyServer();
  clock = new HandClock();
  troubles = [];
});

afterEach(async () => {
  await first.down();
  await second.down();
});

function openInbox(options: Partial<NtfyInboxOptions> = {}): NtfyInbox {
  return new NtfyInbox({
    urls: [`${first.url}/${TOPIC}`, `${second.url}/${TOPIC}`],
    timeoutMs: TIMEOUT_MS,
    clock,
    pause: clock.pause,
    onTrouble: (trouble) => troubles.push(trouble),
    ...options,
  });
}

/** An inbox of the first host alone. */
const inboxOfFirst = (options: Partial<NtfyInboxOptions> = {}) => openInbox({ urls: [`${first.url}/${TOPIC}`], ...options });

const post = (server: NtfyServer, number: number, until?: string) => server.post(TOPIC, formatMail(wakeMail(number, until)));

const sinces = (server: NtfyServer) => server.requests.map(({ path }) => new URL(path, server.url).searchParams.get("since"));

/** Reads mails as they come, until so many are there. */
async function listenFor(inbox: NtfyInbox, count: number): Promise<readonly WakeMail[]> {
  const mails: WakeMail[] = [];
  for await (const mail of inbox.listen(new AbortController().signal)) {
    mails.push(mail);
    if (mails.length === count) break;
  }
  return mails;
}

/** Listens until it is stopped. */
function startListening(inbox: NtfyInbox) {
  const stopping = new AbortController();
  const heard: WakeMail[] = [];
  const happened = new EventEmitter();
  const ended = (async () => {
    for await (const mail of inbox.listen(stopping.signal)) {
      heard.push(mail);
      happened.emit("mail");
    }
  })();
  return {
    heard,
    hears: async (count: number): Promise<void> => {
      while (heard.length < count) await once(happened, "mail");
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await ended;
    },
  };
}

describe("against a server without faults", () => {
  test("what the mailer sends is what the inbox gives, by poll and by stream", async () => {
    const ntfy = await ntfyUnderTest();
    try {
      const urls = [`${ntfy.url}/${freshTopic()}`];
      const mailer = new NtfyMailer({ urls, timeoutMs: 30_000, clock: systemClock });
      await mailer.send([wakeLetter(1)]);
      const inbox = new NtfyInbox({ urls, timeoutMs: 30_000, clock: systemClock });
      expect(await inbox.poll()).toEqual([wakeMail(1)]);
      expect(await inbox.poll()).toEqual([]);
      const listening = listenFor(inbox, 2);
      await mailer.send([wakeLetter(2)]);
      await mailer.send([wakeLetter(3)]);
      // A real server promises no order.
      expect((await listening).map(({ job_id }) => job_id).sort()).toEqual(["mailed-job-2", "mailed-job-3"]);
    } finally {
      await ntfy.close();
    }
  });
});

describe("poll", () => {
  test("gives the mails of every host, and each once", async () => {
    post(first, 1);
    post(first, 2);
    post(second, 2);
    post(second, 3);
    const inbox = openInbox();
    expect((await inbox.poll()).map(({ job_id }) => job_id).sort()).toEqual(["mailed-job-1", "mailed-job-2", "mailed-job-3"]);
    post(second, 1);
    expect(await inbox.poll()).toEqual([]);
  });

  test("asks each host for what came after a message of that host that is a minute old", async () => {
    const inbox = openInbox();
    const one = post(first, 1);
    await inbox.poll();
    clock.ms += 59_999;
    await inbox.poll();
    clock.ms += 1;
    await inbox.poll();
    expect(sinces(first)).toEqual(["all", "all", one.id]);
    expect(sinces(second)).toEqual(["all", "all", "all"]);
  });

  test("a repeated offer of the same attempt is a mail of its own", async () => {
    const inbox = inboxOfFirst();
    post(first, 1, "2026-11-30T12:00:00Z");
    expect(await inbox.poll()).toHaveLength(1);
    post(first, 1, "2026-11-30T13:00:00Z");
    expect(await inbox.poll()).toEqual([wakeMail(1, "2026-11-30T13:00:00Z")]);
  });

  test("an id that the host has forgotten brings everything again, and nothing is given twice", async () => {
    const inbox = inboxOfFirst();
    post(first, 1);
    await inbox.poll();
    first.forget();
    post(first, 1);
    post(first, 2);
    expect(await inbox.poll()).toEqual([wakeMail(2)]);
  });

  test.each(["duplicate", "reorder"] as const)("a replay that is %s gives each mail once", async (kind) => {
    const inbox = inboxOfFirst();
    for (const number of [1, 2, 3]) post(first, number);
    first.orderSubscribe({ kind });
    const mails = await inbox.poll();
    expect(mails.map(({ job_id }) => job_id).sort()).toEqual(["mailed-job-1", "mailed-job-2", "mailed-job-3"]);
    expect(await inbox.poll()).toEqual([]);
  });

  test("an answer that is cut off gives what came, and the rest the next time", async () => {
    const inbox = inboxOfFirst();
    for (const number of [1, 2, 3]) post(first, number);
    first.orderSubscribe({ kind: "truncate" });
    const mails = [...(await inbox.poll()), ...(await inbox.poll())];
    expect(mails).toEqual([wakeMail(1), wakeMail(2), wakeMail(3)]);
    expect(troubles).toEqual([]);
  });

  test("messages that are no mail of ours are passed over", async () => {
    first.post(TOPIC, "hello");
    first.post(TOPIC, JSON.stringify({ ...wakeMail(1), from: "SOMEBODY" }));
    first.post(TOPIC, formatMail(wakeMail(2)).padEnd(4_000, "x"));
    post(first, 3);
    expect(await inboxOfFirst().poll()).toEqual([wakeMail(3)]);
  });

  const message = (number: number, fields: object = {}): string =>
    JSON.stringify({
      id: "abcdefghijkl",
      time: 1,
      event: "message",
      topic: TOPIC,
      message: formatMail(wakeMail(number)),
      ...fields,
    });

  test("unknown events and lines that are no events are passed over", async () => {
    const lines = [
      message(1, { event: "message_delete" }),
      message(1, { event: "message_clear" }),
      message(1, { event: "something_new" }),
      message(1, { event: 7 }),
      message(1, { message: 7 }),
      "null",
      "[]",
      "7",
      '"text"',
      "",
      "{",
      "<html>",
      "\u0000\ufffd",
      message(2).slice(0, -9),
    ];
    first.orderSubscribe({ kind: "lines", lines });
    post(first, 3);
    expect(await inboxOfFirst().poll()).toEqual([wakeMail(3)]);
    expect(troubles).toEqual([]);
  });

  test("a line that is too long is passed over, and those after it are read", async () => {
    const lines = ["x".repeat(8 * 1024 * 1024), message(1, { title: "x".repeat(65 * 1024) })];
    first.orderSubscribe({ kind: "lines", lines });
    post(first, 3);
    expect(await inboxOfFirst().poll()).toEqual([wakeMail(3)]);
  });

  test.each(["none", "all", "latest", "10m", "1800000000", "", "x&since=none", "a".repeat(65), 7, null])(
    "an id that since would read otherwise (%j) is not gone on from",
    async (id) => {
      const inbox = inboxOfFirst();
      first.orderSubscribe({ kind: "lines", lines: [message(1, { id })] });
      expect(await inbox.poll()).toEqual([wakeMail(1)]);
      clock.ms += 60_000;
      await inbox.poll();
      expect(sinces(first)).toEqual(["all", "all"]);
    },
  );

  test.each([
    ["hang", "timed out"],
    ["reset", "UND_ERR_SOCKET"],
    ["html", "answered 200 without ntfy's events"],
  ] as const)("a host that answers with %s is told of, and the others give their mail", async (kind, error) => {
    first.orderSubscribe({ kind }, 2);
    post(second, 1);
    const inbox = openInbox({ timeoutMs: 3_000 });
    expect(await inbox.poll()).toEqual([wakeMail(1)]);
    expect(troubles).toEqual([expect.objectContaining({ host: first.url, http_status: kind === "html" ? 200 : null })]);
    expect([error, "ECONNRESET"]).toContain(troubles[0]?.error);
    // Told once, though it goes on; and given again when the host is well.
    await inbox.poll();
    expect(troubles).toHaveLength(1);
    post(first, 2);
    expect(await inbox.poll()).toEqual([wakeMail(2)]);
  });

  test("a host that is down is told of, and its mail comes when it is up", async () => {
    post(first, 1);
    const inbox = inboxOfFirst();
    await first.down();
    expect(await inbox.poll()).toEqual([]);
    expect(troubles).toEqual([{ host: first.url, http_status: null, error: "ECONNREFUSED" }]);
    await first.up();
    expect(await inbox.poll()).toEqual([wakeMail(1)]);
    await first.down();
    await inbox.poll();
    expect(troubles).toHaveLength(2);
  });

  test.each([401, 403, 404])("a host that refuses for good with %i is told of and asked again only slowly", async (status) => {
    post(first, 1);
    post(second, 2);
    first.orderSubscribe({ kind: "status", status });
    const inbox = openInbox();
    expect(await inbox.poll()).toEqual([wakeMail(2)]);
    expect(troubles).toEqual([{ host: first.url, http_status: status, error: `HTTP ${status}` }]);
    clock.ms += 60_000;
    expect(await inbox.poll()).toEqual([]);
    expect(first.requests).toHaveLength(1);
    clock.ms += 600_000;
    expect(await inbox.poll()).toEqual([wakeMail(1)]);
  });

  test.each([
    ["90", 90_000],
    ["Wed, 30 Nov 2099 12:00:00 GMT", 60_000],
    ["999999", 3_600_000],
  ])("Retry-After is honoured, within reason: %s", async (retryAfter, restMs) => {
    post(first, 1);
    first.orderSubscribe({ kind: "status", status: 429, retryAfter });
    const inbox = inboxOfFirst();
    await inbox.poll();
    clock.ms = restMs - 1;
    await inbox.poll();
    expect(first.requests).toHaveLength(1);
    clock.ms = restMs;
    expect(await inbox.poll()).toEqual([wakeMail(1)]);
  });

  test("a redirect is not followed: the token stays with its host", async () => {
    first.orderSubscribe({ kind: "redirect", to: `${second.url}/${TOPIC}/json?poll=1` });
    post(second, 1);
    expect(await inboxOfFirst({ token: "tk_secret" }).poll()).toEqual([]);
    expect(second.requests).toEqual([]);
    expect(troubles).toEqual([{ host: first.url, http_status: 302, error: "HTTP 302" }]);
  });

  test("leaves no connection open", async () => {
    post(first, 1);
    await openInbox().poll();
    await first.until(() => first.connectionCount === 0);
    await second.until(() => second.connectionCount === 0);
  });
});

describe("credentials", () => {
  test("a token travels as Bearer, an url's own as Basic, and no trouble holds one", async () => {
    const closed = await startNtfyServer({ authorizations: ["Bearer tk_secret"] });
    try {
      closed.post(TOPIC, formatMail(wakeMail(1)));
      const inbox = openInbox({ urls: [`${closed.url}/${TOPIC}`], token: "tk_secret" });
      expect(await inbox.poll()).toEqual([wakeMail(1)]);
      const wrong = openInbox({ urls: [`${closed.url.replace("://", "://user:planted@")}/${TOPIC}`] });
      expect(await wrong.poll()).toEqual([]);
      expect(await openInbox({ urls: [`${closed.url}/${TOPIC}`] }).poll()).toEqual([]);
      expect(troubles).toEqual([
        { host: closed.url, http_status: 401, error: "HTTP 401" },
        { host: closed.url, http_status: 403, error: "HTTP 403" },
      ]);
      expect(closed.requests[1]?.headers.authorization).toBe(`Basic ${btoa("user:planted")}`);
    } finally {
      await closed.down();
    }
  });

  test("a token over plain http to another machine is refused", () => {
    expect(() => openInbox({ urls: [`http://ntfy.example.org/${TOPIC}`], token: "tk_secret" })).toThrow(
      expect.objectContaining({ code: "CONFIG" }),
    );
  });
});

describe("listen", () => {
  test("gives what is cached, then what comes, from every host, each once", async () => {
    post(first, 1);
    const listening = listenFor(openInbox(), 4);
    await first.until(() => first.streamCount === 1);
    await second.until(() => second.streamCount === 1);
    post(first, 2);
    post(second, 2);
    post(second, 1);
    post(second, 3);
    post(first, 3);
    post(second, 4);
    expect((await listening).map(({ job_id }) => job_id).sort()).toEqual([1, 2, 3, 4].map((number) => `mailed-job-${number}`));
  });

  test.each(["end", "reset"] as const)(
    "a stream whose connection is %s goes on, and nothing is lost or given twice",
    async (how) => {
      const inbox = inboxOfFirst();
      const listening = listenFor(inbox, 3);
      await first.until(() => first.streamCount === 1);
      post(first, 1);
      // Sent, so that the stream has it before it is cut.
      await first.until(() => first.streamCount === 1);
      first.cutStreams("end");
      post(first, 2);
      await first.until(() => first.streamCount === 1 && first.requests.length === 2);
      first.cutStreams(how);
      post(first, 3);
      expect(await listening).toEqual([wakeMail(1), wakeMail(2), wakeMail(3)]);
      expect(troubles).toEqual([]);
    },
  );

  test("a host that restarts and forgot its ids gives everything again, and nothing is given twice", async () => {
    const listener = startListening(inboxOfFirst());
    await first.until(() => first.streamCount === 1);
    post(first, 1);
    post(first, 2);
    await listener.hears(2);
    first.cutStreams("end");
    first.forget();
    post(first, 1);
    post(first, 3);
    await listener.hears(3);
    expect(listener.heard).toEqual([1, 2, 3].map((number) => wakeMail(number)));
    await listener.stop();
  });

  test.each(["duplicate", "reorder", "truncate", "end"] as const)("a stream that is %s gives each mail once", async (kind) => {
    for (const number of [1, 2, 3]) post(first, number);
    first.orderSubscribe({ kind });
    const mails = await listenFor(inboxOfFirst(), 3);
    expect(mails.map(({ job_id }) => job_id).sort()).toEqual(["mailed-job-1", "mailed-job-2", "mailed-job-3"]);
  });

  test("a stream that falls silent is dead, and another one is opened", async () => {
    first.orderSubscribe({ kind: "silence" });
    post(first, 1);
    expect(await listenFor(inboxOfFirst({ silenceMsMax: 300 }), 1)).toEqual([wakeMail(1)]);
    expect(first.requests).toHaveLength(2);
  });

  test("keepalives keep a quiet stream alive", async () => {
    const quick = await startNtfyServer({ keepaliveMs: 50 });
    try {
      const listening = listenFor(openInbox({ urls: [`${quick.url}/${TOPIC}`], silenceMsMax: 1_500 }), 1);
      await quick.until(() => quick.keepalives >= 40);
      quick.post(TOPIC, formatMail(wakeMail(1)));
      expect(await listening).toEqual([wakeMail(1)]);
      expect(quick.requests.filter(({ path }) => !path.includes("poll=1"))).toHaveLength(1);
    } finally {
      await quick.down();
    }
  });

  test("a mail that is cached just after a stream opened is given all the same, and the host is polled once for it", async () => {
    const quick = await startNtfyServer({ keepaliveMs: 50 });
    try {
      quick.post(TOPIC, formatMail(wakeMail(1)));
      quick.orderSubscribe({ kind: "overlook" });
      const listener = startListening(inboxOfFirst({ urls: [`${quick.url}/${TOPIC}`] }));
      await listener.hears(1);
      await quick.until(() => quick.keepalives >= 5);
      await listener.stop();
      expect(listener.heard).toEqual([wakeMail(1)]);
      expect(quick.requests.map(({ path }) => path.includes("poll=1"))).toEqual([false, true]);
    } finally {
      await quick.down();
    }
  });

  test("one that is cached after a later one was heard is given when the stream is opened again", async () => {
    const inbox = inboxOfFirst();
    post(first, 1);
    first.orderSubscribe({ kind: "overlook" });
    const listener = startListening(inbox);
    await first.until(() => first.streamCount === 1);
    post(first, 2);
    await listener.hears(1);
    first.cutStreams("end");
    await listener.hears(2);
    await listener.stop();
    expect(listener.heard).toEqual([wakeMail(2), wakeMail(1)]);
  });

  test("pauses between connections grow while a host gives nothing, and start small again after a mail", async () => {
    first.orderSubscribe({ kind: "reset" }, 9);
    post(first, 1);
    const listener = startListening(inboxOfFirst());
    await listener.hears(1);
    expect(clock.pausesMs).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    first.orderSubscribe({ kind: "reset" });
    first.cutStreams("end");
    await first.until(() => first.streamCount === 1 && first.requests.length === 12);
    expect(clock.pausesMs.slice(9)).toEqual([500, 1_000]);
    await listener.stop();
  });

  test("a host that opens and ends at once, again and again, is asked ever more slowly", async () => {
    first.orderSubscribe({ kind: "end" }, 5);
    const listener = startListening(inboxOfFirst());
    await first.until(() => first.streamCount === 1);
    expect(clock.pausesMs).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    await listener.stop();
  });

  test("a stream that stood for a while was a good one, though it gave nothing", async () => {
    first.orderSubscribe({ kind: "reset" }, 3);
    const listener = startListening(inboxOfFirst());
    await first.until(() => first.streamCount === 1);
    clock.ms += 60_000;
    first.cutStreams("end");
    await first.until(() => first.streamCount === 1 && first.requests.length === 5);
    expect(clock.pausesMs).toEqual([500, 1_000, 2_000, 500]);
    await listener.stop();
  });

  test("a host that refuses for good is told of once and retried slowly, while the others go on", async () => {
    first.orderSubscribe({ kind: "status", status: 403 }, 3);
    post(first, 1);
    post(second, 2);
    expect((await listenFor(openInbox(), 2)).map(({ job_id }) => job_id).sort()).toEqual(["mailed-job-1", "mailed-job-2"]);
    expect(troubles).toEqual([{ host: first.url, http_status: 403, error: "HTTP 403" }]);
    expect(Math.min(...clock.pausesMs)).toBeGreaterThanOrEqual(300_000);
  });

  test("a host that never answers does not keep the others waiting", async () => {
    first.orderSubscribe({ kind: "hang" });
    post(second, 1);
    expect(await listenFor(openInbox(), 1)).toEqual([wakeMail(1)]);
  });

  test("a host that takes the request and does not answer in time is asked again", async () => {
    first.orderSubscribe({ kind: "hang" });
    post(first, 1);
    expect(await listenFor(inboxOfFirst({ timeoutMs: 300 }), 1)).toEqual([wakeMail(1)]);
    expect(troubles).toEqual([{ host: first.url, http_status: null, error: "UND_ERR_HEADERS_TIMEOUT" }]);
  });

  test("a host that is down at the start is listened to when it is up", async () => {
    post(first, 1);
    await first.down();
    const { promise: paused, resolve: startUp } = Promise.withResolvers<void>();
    const { promise: isUp, resolve: endPause } = Promise.withResolvers<void>();
    const pause = async (): Promise<void> => {
      startUp();
      await isUp;
    };
    const listening = listenFor(inboxOfFirst({ pause }), 1);
    await paused;
    await first.up();
    endPause();
    expect(await listening).toEqual([wakeMail(1)]);
  });

  test("the signal ends it, with every connection closed", async () => {
    const stopping = new AbortController();
    const iterator = openInbox().listen(stopping.signal)[Symbol.asyncIterator]();
    const next = iterator.next();
    await first.until(() => first.streamCount === 1);
    await second.until(() => second.streamCount === 1);
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await first.until(() => first.connectionCount === 0);
    await second.until(() => second.connectionCount === 0);
  });

  test("the signal ends it in the middle of a long pause, and before it began", async () => {
    await first.down();
    const stopping = new AbortController();
    let hasPaused = (): void => {};
    const paused = new Promise<void>((resolve) => {
      hasPaused = resolve;
    });
    const real = inboxOfFirst({
      pause: async (_least, _most, signal) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        signal?.addEventListener("abort", () => resolve());
        hasPaused();
        await promise;
      },
    });
    const next = real.listen(stopping.signal)[Symbol.asyncIterator]().next();
    await paused;
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await real.listen(AbortSignal.abort())[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  });

  test("a reader that leaves the loop closes every connection, and what had come in is there the next time", async () => {
    for (const number of [1, 2, 3]) post(first, number);
    const inbox = openInbox();
    expect(await listenFor(inbox, 1)).toEqual([wakeMail(1)]);
    await first.until(() => first.connectionCount === 0);
    await second.until(() => second.connectionCount === 0);
    expect([...(await listenFor(inbox, 1)), ...(await inbox.poll())]).toEqual([wakeMail(2), wakeMail(3)]);
  });

  test("a burst that is longer than what may wait is given whole to a slow reader", async () => {
    const COUNT = 2_500;
    for (let number = 0; number < COUNT; number++) post(first, number);
    const mails = await listenFor(inboxOfFirst(), COUNT);
    expect(new Set(mails.map(({ job_id }) => job_id)).size).toBe(COUNT);
  });

  test("while a reader is at work, only so much is read ahead; the host keeps the rest", async () => {
    const ids = Array.from({ length: 2_500 }, (_, number) => post(first, number).id);
    const inbox = inboxOfFirst();
    for await (const mail of inbox.listen(new AbortController().signal)) {
      expect(mail).toEqual(wakeMail(0));
      // By the time that another reader has everything, this one could have read ahead as far as it ever would.
      expect(await inboxOfFirst().poll()).toHaveLength(2_500);
      break;
    }
    clock.ms += 60_000;
    expect(await inbox.poll()).toHaveLength(2_499);
    const readAhead = ids.indexOf(sinces(first).at(-1) ?? "");
    expect(readAhead).toBeGreaterThanOrEqual(0);
    // A thousand, and the rest of the chunk that was in hand when the reader left.
    expect(readAhead).toBeLessThanOrEqual(1_300);
  });

  test("an onTrouble that throws ends the listening with its error", async () => {
    first.orderSubscribe({ kind: "status", status: 403 });
    const inbox = inboxOfFirst({
      onTrouble: () => {
        throw new Error("from the caller");
      },
    });
    await expect(listenFor(inbox, 1)).rejects.toThrow("from the caller");
  });
});
