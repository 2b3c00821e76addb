import { expect, test } from "vitest";
import { headersForAgent, headersForApi } from "../../../src/harness/gateway/headers.ts";

const AUTH = { "x-api-key": "real" };

test("whatever an agent proves itself with stays behind, and the worker's key goes instead", () => {
  const sent = {
    "x-api-key": "token",
    authorization: "Bearer token",
    "api-key": "token",
    "x-goog-api-key": "token",
    "proxy-authorization": "Basic token",
    cookie: "token=1",
  };
  expect(headersForApi(sent, AUTH)).toEqual(AUTH);
});

test("what the API wants to know passes on", () => {
  const sent = {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "a,b",
    "openai-beta": "c",
    "user-agent": "agent/1",
    "content-type": "application/json",
    "content-length": "2",
    accept: "text/event-stream",
    session_id: "s",
  };
  expect(headersForApi(sent, AUTH)).toEqual({ ...sent, ...AUTH });
});

test("what speaks of the agent's own connection stays behind, also what it names as such", () => {
  const sent = {
    connection: "keep-alive, X-Mine",
    "x-mine": "1",
    "keep-alive": "timeout=5",
    "transfer-encoding": "chunked",
    te: "trailers",
    trailer: "x",
    upgrade: "websocket",
    host: "127.0.0.1:1",
    expect: "100-continue",
    "accept-encoding": "br, zstd",
  };
  expect(headersForApi(sent, AUTH)).toEqual(AUTH);
});

test("an agent is pointed nowhere else, gets no cookie, and no header that holds the key", () => {
  const answered = {
    location: "https://elsewhere.example",
    "alt-svc": 'h3=":443"',
    "set-cookie": ["a=1"],
    "strict-transport-security": "max-age=1",
    connection: "close",
    "x-echo": "you sent: real-key",
    "x-list": ["fine", "real-key"],
    "x-odd": "\u2028",
    "request-id": "req_1",
    "retry-after": "2",
    "anthropic-ratelimit-tokens-remaining": "5",
  };
  expect(headersForAgent(answered, "real-key")).toEqual({
    "request-id": "req_1",
    "retry-after": "2",
    "anthropic-ratelimit-tokens-remaining": "5",
  });
});
