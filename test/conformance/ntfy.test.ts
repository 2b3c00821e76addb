// What harness-wake relies on of ntfy. It runs against the test server, and against a real one where
// HARNESS_WAKE_TEST_NTFY names it: then it says whether the test server still tells the truth.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startNtfyServer } from "../support/ntfy-server.ts";
import { freshTopic, type NtfyUnderTest, ntfyUnderTest } from "../support/ntfy-under-test.ts";

let ntfy: NtfyUnderTest;
beforeAll(async () => {
  ntfy = await ntfyUnderTest();
});
afterAll(() => ntfy.close());

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function publish(fields: object, url = ntfy.url): Promise<Answer> {
  return answerOf(await fetch(url, { method: "POST", body: JSON.stringify(fields) }));
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function poll(topic: string, query = ""): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const text = await (await fetch(`${ntfy.url}/${topic}/json?poll=1${query}`)).text();
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

describe("publish", () => {
  test("answers 200 with the message as it was cached", async () => {
    const topic = freshTopic();
    const { status, body } = await publish({ topic, message: '{"a":1}', title: "Schön", tags: ["alarm_clock"], priority: 4 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      event: "message",
      topic,
      message: '{"a":1}',
      title: "Schön",
      tags: ["alarm_clock"],
      priority: 4,
    });
    expect(body["id"]).toMatch(/^[A-Za-z0-9]{12}$/);
    expect(body).not.toHaveProperty("attachment");
    expect(await poll(topic)).toMatchObject([{ id: body["id"], message: '{"a":1}' }]);
  });

  test("to a topic's own address takes the body as the message, JSON or not", async () => {
    const topic = freshTopic();
    const { body } = await answerOf(await fetch(`${ntfy.url}/${topic}`, { method: "POST", body: '{"topic":"x","message":"y"}' }));
    expect(body).toMatchObject({ topic, message: '{"topic":"x","message":"y"}' });
  });

  test("trims the message, and an empty one becomes triggered", async () => {
    const topic = freshTopic();
    expect((await publish({ topic, message: " a \n" })).body["message"]).toBe("a");
    expect((await publish({ topic, message: "" })).body["message"]).toBe("triggered");
  });

  test("takes 4095 bytes as a message, and never gives back 4097 as one", async () => {
    const topic = freshTopic();
    const most = "é".repeat(2_047).padEnd(2_048, "x");
    expect(Buffer.byteLength(most)).toBe(4_095);
    expect((await publish({ topic, message: most })).body["message"]).toBe(most);
    expect((await publish({ topic, message: `${most}xx` })).body["message"]).not.toBe(`${most}xx`);
  });

  test("refuses what is no topic, no JSON and no path", async () => {
    expect(await publish({ topic: "not a topic", message: "x" })).toMatchObject({ status: 400, body: { http: 400 } });
    const noJson = await answerOf(await fetch(ntfy.url, { method: "POST", body: "{" }));
    expect(noJson).toMatchObject({ status: 400, body: { http: 400 } });
    expect(await publish({ topic: 5, message: "x" })).toMatchObject({ status: 400, body: { code: 40024 } });
    expect(await publish(["x"])).toMatchObject({ status: 400, body: { code: 40024 } });
    expect(await publish({ topic: "docs", message: "x" })).toMatchObject({ status: 400, body: { code: 40010 } });
    const noPath = await answerOf(await fetch(`${ntfy.url}/a/b/c`, { method: "POST", body: "x" }));
    expect(noPath).toMatchObject({ status: 404, body: { code: 40401, http: 404 } });
  });
});

test("health answers without a topic", async () => {
  expect(await (await fetch(`${ntfy.url}/v1/health`)).json()).toEqual({ healthy: true });
});

describe("since", () => {
  test("an id gives what came after it, an unknown one everything; all, latest and none are words", async () => {
    const topic = freshTopic();
    const ids: unknown[] = [];
    for (const message of ["one", "two", "three"]) ids.push((await publish({ topic, message })).body["id"]);
    const asked = async (since: unknown): Promise<readonly unknown[]> =>
      (await poll(topic, `&since=${since}`)).map(({ message }) => message);
    expect(await asked(ids[0])).toEqual(["two", "three"]);
    expect(await asked(ids[2])).toEqual([]);
    expect(await asked("AAAAAAAAAAAA")).toEqual(["one", "two", "three"]);
    expect(await asked("all")).toEqual(["one", "two", "three"]);
    expect(await asked("latest")).toEqual(["three"]);
    expect(await asked("none")).toEqual([]);
    expect(await asked("10m")).toEqual(["one", "two", "three"]);
    expect((await poll(topic)).map(({ message }) => message)).toEqual(["one", "two", "three"]);
  });

  test("what it does not know is refused, a duration in days too", async () => {
    for (const since of ["nonsense!", "1d"]) {
      const refused = await fetch(`${ntfy.url}/${freshTopic()}/json?poll=1&since=${since}`);
      expect(await answerOf(refused)).toMatchObject({ status: 400, body: { code: 40008 } });
    }
  });

  test("a time is inclusive", async () => {
    const topic = freshTopic();
    const { body } = await publish({ topic, message: "one" });
    expect(await poll(topic, `&since=${Number(body["time"])}`)).toHaveLength(1);
    expect(await poll(topic, `&since=${Number(body["time"]) + 1}`)).toHaveLength(0);
  });
});

test("a stream opens, gives what is cached since the asked time, then what comes", async () => {
  const topic = freshTopic();
  await publish({ topic, message: "cached" });
  const stopping = new AbortController();
  const stream = await fetch(`${ntfy.url}/${topic}/json?since=all`, { signal: stopping.signal });
  const heard: string[] = [];
  let text = "";
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { event, message } = JSON.parse(line) as { event: string; message?: string };
      heard.push(message ?? event);
      if (message === "cached") await publish({ topic, message: "live" });
    }
    if (heard.includes("live")) break;
  }
  stopping.abort();
  expect(heard.filter((said) => said !== "keepalive")).toEqual(["open", "cached", "live"]);
});

describe("the test server alone, by its options", () => {
  test("codes and limits are ntfy's", async () => {
    const server = await startNtfyServer({ attachments: false, messagesMax: 2 });
    try {
      const post = (fields: object) => publish({ topic: "t", message: "x", ...fields }, server.url);
      expect((await post({ topic: "docs" })).body["code"]).toBe(40010);
      expect((await post({ topic: "" })).body["code"]).toBe(40009);
      expect((await post({ message: "x".repeat(9_000) })).body["code"]).toBe(41303);
      expect((await post({ title: "x".repeat(1_025) })).body["code"]).toBe(40057);
      expect((await post({ tags: ["x".repeat(513)] })).body["code"]).toBe(40058);
      expect((await post({ message: "x".repeat(4_096) })).body["code"]).toBe(40014);
      expect((await post({})).status).toBe(200);
      expect((await post({})).body["code"]).toBe(42908);
    } finally {
      await server.down();
    }
  });

  test("a message that is too long, or no UTF-8, becomes an attachment under a 200", async () => {
    const server = await startNtfyServer();
    try {
      const long = await publish({ topic: "t", message: "x".repeat(4_096) }, server.url);
      expect(long).toMatchObject({
        status: 200,
        body: { message: "You received a file: attachment.txt", attachment: { size: 4_096 } },
      });
      const bytes = await answerOf(await fetch(`${server.url}/t`, { method: "POST", body: Buffer.from([0xff, 0xfe]) }));
      expect(bytes.body).toHaveProperty("attachment");
    } finally {
      await server.down();
    }
  });

  test("access and rate", async () => {
    const server = await startNtfyServer({ authorizations: ["Bearer good"], requestsMax: 2 });
    try {
      const post = async (authorization?: string): Promise<unknown> => {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        return (await answerOf(await fetch(`${server.url}/t`, { method: "POST", headers, body: "x" }))).body["code"];
      };
      expect(await post("Bearer bad")).toBe(40101);
      expect(await post()).toBe(40301);
      expect(await post("Bearer good")).toBeUndefined();
      expect(await post("Bearer good")).toBe(42901);
    } finally {
      await server.down();
    }
  });

  test("what is older than the cache is gone", async () => {
    let now = 1_800_000_000;
    const server = await startNtfyServer({ now: () => now });
    try {
      server.post("t", "old");
      now += 12 * 3600;
      expect(server.messages("t")).toEqual([]);
    } finally {
      await server.down();
    }
  });
});
