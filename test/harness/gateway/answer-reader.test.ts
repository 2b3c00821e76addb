import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ErrorKind } from "../../../src/harness/error-kind.ts";
import { AnswerReader } from "../../../src/harness/gateway/answer-reader.ts";
import type { Api } from "../../../src/harness/gateway/routes.ts";
import { type ModelUsage, say, USAGE } from "../../support/model-server-answer.ts";
import { askedModel } from "../../support/model-server-request.ts";
import { wireAnswer } from "../../support/model-server-wire.ts";

const EVENTS = "text/event-stream; charset=utf-8";
const JSON_TYPE = "application/json";

function read(api: Api, contentType: string, ...pieces: readonly (string | Uint8Array)[]) {
  const reader = new AnswerReader(api, contentType);
  for (const piece of pieces) reader.feed(Buffer.from(piece));
  reader.end();
  return reader.answer;
}

/** An event stream of these values. */
function events(...values: readonly object[]): string {
  return values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
}

const apis = ["messages", "responses", "chat"] as const;
const count = fc.nat(1_000_000);
const usages: fc.Arbitrary<ModelUsage> = fc.record({ input: count, output: count, cacheWrite: count, cacheRead: count });

function wire(api: (typeof apis)[number], text: string, usage: ModelUsage) {
  const asked = askedModel("POST", "/v1", {}, JSON.stringify({ stream: true, stream_options: { include_usage: true } }));
  return wireAnswer(api, asked, say(text, { usage }), "x");
}

describe.each(apis)("of %s", (api) => {
  test("the usage is read, streamed or not, whatever the model says", () => {
    fc.assert(
      fc.property(usages, fc.string({ unit: "binary" }), (usage, text) => {
        const { events, body } = wire(api, text, usage);
        const whole = { tokens: usage, isCounted: true, error: null };
        expect(read(api, EVENTS, events.join(""))).toEqual(whole);
        expect(read(api, JSON_TYPE, JSON.stringify(body))).toEqual(whole);
      }),
    );
  });

  test("the same bytes give the same usage in whatever pieces they come", () => {
    fc.assert(
      fc.property(
        usages,
        fc.string({ unit: "grapheme" }),
        fc.array(fc.nat(60)),
        fc.constantFrom("\n", "\r\n", "\r"),
        (usage, text, cuts, end) => {
          const bytes = Buffer.from(wire(api, text, usage).events.join("").replaceAll("\n", end));
          const pieces: Buffer[] = [];
          let from = 0;
          for (const cut of cuts) {
            pieces.push(bytes.subarray(from, from + cut));
            from += cut;
          }
          pieces.push(bytes.subarray(from));
          expect(read(api, EVENTS, ...pieces)).toEqual({ tokens: usage, isCounted: true, error: null });
        },
      ),
    );
  });

  test("bytes of any kind break nothing, and count nothing", () => {
    const noise = fc.oneof(
      fc.uint8Array(),
      fc.json().map((json) => Buffer.from(`data: ${json}\n\n`)),
      fc.json().map((json) => Buffer.from(`data: {"type":"message_delta","usage":${json},"response":{"usage":${json}}}\n\n`)),
    );
    fc.assert(
      fc.property(fc.array(noise), fc.constantFrom(EVENTS, JSON_TYPE, ""), (pieces, type) => {
        const { input, output, cacheWrite, cacheRead } = read(api, type, ...pieces).tokens;
        expect([input, output, cacheWrite, cacheRead].every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)).toBe(true);
      }),
    );
  });

  test("an answer that breaks off before its usage is not counted", () => {
    const { events, body } = wire(api, "half a", USAGE);
    expect(read(api, EVENTS, events.slice(0, 3).join("").slice(0, -30))).toMatchObject({ isCounted: false, error: null });
    expect(read(api, JSON_TYPE, JSON.stringify(body).slice(0, -2))).toMatchObject({ isCounted: false, error: null });
  });

  test("an answer without usage is not counted", () => {
    const { events, body } = wireAnswer(api, askedModel("POST", "/", {}, "{}"), say("hi", { usage: null }), "x");
    expect(read(api, EVENTS, events.join(""))).toMatchObject({ isCounted: false });
    expect(read(api, JSON_TYPE, JSON.stringify(body))).toMatchObject({ isCounted: false });
  });
});

test("a last event without its blank line is read too", () => {
  const event = events({ type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 2 } } });
  expect(read("responses", EVENTS, event.trimEnd())).toMatchObject({ isCounted: true, tokens: { input: 1, output: 2 } });
});

describe("of messages", () => {
  test("output counts are cumulative: the last one holds", () => {
    const start = { type: "message_start", message: { usage: { input_tokens: 7, output_tokens: 1 } } };
    const deltas = [10, 25].map((output_tokens) => ({ type: "message_delta", usage: { output_tokens } }));
    expect(read("messages", EVENTS, events(start, ...deltas)).tokens).toMatchObject({ input: 7, output: 25 });
  });

  test("a count that only the last event tells is taken, and null tells nothing", () => {
    const start = {
      type: "message_start",
      message: { usage: { input_tokens: 0, cache_read_input_tokens: 5, output_tokens: 0 } },
    };
    const delta = { type: "message_delta", usage: { input_tokens: 9, cache_read_input_tokens: null, output_tokens: 3 } };
    expect(read("messages", EVENTS, events(start, delta)).tokens).toEqual({ input: 9, output: 3, cacheWrite: 0, cacheRead: 5 });
  });

  test("what the first event told stays when the rest never comes", () => {
    const start = { type: "message_start", message: { usage: { input_tokens: 7, output_tokens: 1 } } };
    expect(read("messages", EVENTS, events(start))).toMatchObject({ tokens: { input: 7 }, isCounted: false });
  });

  test("all rounds of a request count, though the record's own counts leave some out", () => {
    const iterations = [
      { type: "compaction", input_tokens: 180, output_tokens: 3 },
      { type: "message", input_tokens: 23, output_tokens: 1 },
    ];
    const body = { type: "message", usage: { input_tokens: 23, output_tokens: 1, iterations } };
    expect(read("messages", JSON_TYPE, JSON.stringify(body)).tokens).toMatchObject({ input: 203, output: 4 });
  });

  test("counting tokens costs none", () => {
    const answer = read("count_tokens", JSON_TYPE, '{"input_tokens":4000}');
    expect(answer).toEqual({ tokens: { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 }, isCounted: true, error: null });
  });
});

test("of OpenAI's counts nothing is counted twice, and nothing below zero", () => {
  const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 8, cache_write_tokens: 50 }, output_tokens: 1 };
  const answer = read("responses", EVENTS, events({ type: "response.completed", response: { usage } }));
  expect(answer.tokens).toEqual({ input: 0, output: 1, cacheWrite: 2, cacheRead: 8 });
});

test("an answer that runs in the background tells no usage, so it is not counted", () => {
  const body = { object: "response", status: "queued", usage: null };
  expect(read("responses", JSON_TYPE, JSON.stringify(body)).isCounted).toBe(false);
});

test.each<[string, Api, object, ErrorKind]>([
  ["an error event", "messages", { type: "error", error: { type: "overloaded_error", message: "busy" } }, "server"],
  ["a refusal", "messages", { type: "message_delta", delta: { stop_reason: "refusal" }, usage: { output_tokens: 1 } }, "refused"],
  ["an error event", "responses", { type: "error", code: "rate_limit_exceeded", message: "slow down" }, "rate_limit"],
  [
    "a failed response",
    "responses",
    { type: "response.failed", response: { error: { code: "context_length_exceeded" } } },
    "context",
  ],
  [
    "a filtered response",
    "responses",
    { type: "response.incomplete", response: { incomplete_details: { reason: "content_filter" } } },
    "refused",
  ],
  ["an error chunk", "chat", { error: { code: "insufficient_quota", message: "no money" } }, "auth"],
  ["an error chunk with a status for its code", "chat", { error: { code: 429, message: "busy" } }, "rate_limit"],
  ["a filtered choice", "chat", { choices: [{ finish_reason: "content_filter" }] }, "refused"],
])("%s in a stream of %s is told", (_, api, event, kind) => {
  expect(read(api, EVENTS, events(event)).error).toBe(kind);
});

test("an answer past 32 MiB passes without being kept, and is not counted", () => {
  const megabyte = "x".repeat(1024 * 1024);
  for (const type of [EVENTS, JSON_TYPE]) {
    const reader = new AnswerReader("messages", type);
    reader.feed(Buffer.from("data: "));
    for (let i = 0; i < 64; i++) reader.feed(Buffer.from(megabyte));
    reader.feed(Buffer.from(`\n\n${events({ type: "message_delta", usage: { output_tokens: 5 } })}`));
    reader.end();
    expect(reader.answer.isCounted).toBe(false);
  }
});
