import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { ask, errorOf, gatewayUnderTest, hangUp, PATHS, REAL_KEY, send } from "../../support/gateway-under-test.ts";
import { startHttpProxy } from "../../support/http-proxy.ts";
import { jobErrorOf } from "../../support/job-error-of.ts";
import { inTurn, type ModelFault, say, status, USAGE } from "../../support/model-server-answer.ts";

const COUNTED = USAGE.input + USAGE.output + USAGE.cacheWrite;
const STREAMED = { stream: true, stream_options: { include_usage: true } };

function released(): { readonly gate: Promise<void>; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { gate: promise, release: resolve };
}

describe.each(Object.entries(PATHS))("a call of %s", (_, path) => {
  test.each([
    ["streamed", STREAMED],
    ["in one body", {}],
  ])("goes to the API under the real key, comes back as it was, %s, and is counted", async (_how, body) => {
    const { server, startRun } = await gatewayUnderTest([say("hello")]);
    const run = startRun();
    const direct = await (
      await fetch(server.url + path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      })
    ).text();
    const told = await ask(run, { path, body });
    expect(told.status).toBe(200);
    expect(told.body.replaceAll("id1", "id0")).toBe(direct);
    expect(server.asked[1]).toMatchObject({ body: JSON.stringify(body), path, headers: { "x-api-key": REAL_KEY } });
    expect(run.usage()).toEqual({
      ...USAGE,
      counted: COUNTED,
      calls: 1,
      uncountedAnswers: 0,
      refusal: null,
      lastError: null,
    });
  });

  test("that comes packed though nobody asked for it is unpacked and counted", async () => {
    const { server, startRun } = await gatewayUnderTest([say("hello", { isPacked: true })]);
    const run = startRun();
    for (const body of [STREAMED, {}]) {
      const told = await ask(run, { path, body, headers: { "accept-encoding": "br, zstd, gzip" } });
      expect(told.body).toContain("hello");
      expect(told.headers["content-encoding"]).toBeUndefined();
    }
    expect(server.asked[0]?.headers["accept-encoding"]).toBeUndefined();
    expect(run.usage()).toMatchObject({ counted: 2 * COUNTED, uncountedAnswers: 0 });
  });

  test("that breaks off breaks off for the agent too, and counts what was told", async () => {
    const { startRun } = await gatewayUnderTest([say("hello", { after: { events: 2, next: "cut" } })]);
    const run = startRun();
    await expect(ask(run, { path, body: STREAMED })).rejects.toThrow("aborted");
    expect(run.usage()).toMatchObject({ calls: 1, uncountedAnswers: 1, lastError: "network" });
  });
});

test("an answer passes event by event, before the API has said it all", async () => {
  const { gate, release } = released();
  const { startRun } = await gatewayUnderTest([say("hello", { after: { events: 3, next: gate } })]);
  const seen: number[] = [];
  const run = startRun({ onUsage: ({ input, output }) => seen.push(input, output) });
  const response = await send(run, { body: STREAMED }).response;
  const [first] = await once(response, "data");
  expect(String(first)).toContain("message_start");
  expect(run.usage()).toMatchObject({ input: USAGE.input, output: 1 });
  release();
  await once(response.resume(), "end");
  expect(run.usage()).toMatchObject({ input: USAGE.input, output: USAGE.output });
  expect(seen.slice(0, 4)).toEqual([USAGE.input, 1, USAGE.input, USAGE.output]);
});

test("an answer's head passes before any of its events", async () => {
  const { gate, release } = released();
  const { startRun } = await gatewayUnderTest([say("hello", { after: { events: 0, next: gate } })]);
  const response = await send(startRun(), { body: STREAMED }).response;
  expect(response.statusCode).toBe(200);
  release();
  await once(response.resume(), "end");
});

test("a Bearer token is taken too, and a key may be sent as one", async () => {
  const { server, startRun } = await gatewayUnderTest([], { upstream: { scheme: "bearer" } });
  const run = startRun();
  const told = await ask(run, { token: "", headers: { authorization: `Bearer ${run.token}` } });
  expect(told.status).toBe(200);
  expect(server.asked[0]?.headers).toMatchObject({ authorization: `Bearer ${REAL_KEY}` });
  expect(server.asked[0]?.headers["x-api-key"]).toBeUndefined();
});

test("an API below a path of its host is found there", async () => {
  const { server, startRun } = await gatewayUnderTest();
  const below = await gatewayUnderTest([], { upstream: { url: `${server.url}/anthropic/` } });
  expect((await ask(below.startRun(), { path: "/v1/messages?beta=true" })).status).toBe(404);
  expect(server.asked[0]?.path).toBe("/anthropic/v1/messages?beta=true");
  startRun();
});

test("the API is reached through the environment's proxy, unless NO_PROXY names its host", async () => {
  const proxy = await startHttpProxy();
  onTestFinished(() => proxy.down());
  const proxied = await gatewayUnderTest([], { upstream: { environment: { HTTP_PROXY: proxy.url } } });
  const run = proxied.startRun();
  expect((await ask(run, { body: STREAMED })).status).toBe(200);
  expect(proxy.targets).toEqual([expect.stringContaining(new URL(proxied.server.url).host)]);
  expect(run.usage().counted).toBe(COUNTED);
  const direct = await gatewayUnderTest([], { upstream: { environment: { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" } } });
  expect((await ask(direct.startRun())).status).toBe(200);
  expect(proxy.targets).toHaveLength(1);
});

describe("the budget", () => {
  test("ends the run at the first call past it, with the one answer that ends every agent", async () => {
    const { server, startRun } = await gatewayUnderTest([say("more")]);
    const run = startRun({ budgetTokens: COUNTED + 1 });
    expect((await ask(run, { body: STREAMED })).status).toBe(200);
    expect((await ask(run, { body: STREAMED })).status).toBe(200);
    const refused = await ask(run, { body: STREAMED });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body)).toEqual({
      type: "error",
      error: {
        type: "billing_error",
        message: `harness-wake: the token budget is used up (${2 * COUNTED} of ${COUNTED + 1})`,
      },
    });
    expect(server.asked).toHaveLength(2);
    expect(run.usage()).toMatchObject({ counted: 2 * COUNTED, calls: 2, lastError: "budget", refusal: { kind: "budget" } });
  });

  test("is asked for before the last byte of an answer in one body", async () => {
    const { startRun } = await gatewayUnderTest([say("x".repeat(100_000))]);
    const run = startRun({ budgetTokens: 1 });
    // Whoever knew its length would know its end before it is counted.
    expect((await ask(run)).headers["content-length"]).toBeUndefined();
    expect(errorOf(await ask(run)).type).toBe("billing_error");
  });

  test("of one run is not another's", async () => {
    const { startRun } = await gatewayUnderTest();
    const [poor, rich] = [startRun({ budgetTokens: 1 }), startRun()];
    await ask(poor);
    expect((await ask(poor)).status).toBe(400);
    expect((await ask(rich)).status).toBe(200);
    expect([poor.usage().calls, rich.usage().calls]).toEqual([1, 1]);
  });

  test("that is no whole number is refused", async () => {
    const { startRun } = await gatewayUnderTest();
    for (const budgetTokens of [Number.NaN, 1.5, Number.POSITIVE_INFINITY]) {
      expect(jobErrorOf(() => startRun({ budgetTokens })).code).toBe("SCHEMA");
    }
  });
});

describe("nobody gets through", () => {
  test("without a token, with a made-up one, with the real key, or with that of a run that is over", async () => {
    const { server, startRun } = await gatewayUnderTest();
    const run = startRun();
    const over = startRun();
    await over.end();
    for (const token of ["", "x", REAL_KEY, over.token, `${run.token} `.repeat(2)]) {
      const told = await ask(run, { token });
      expect(told.status).toBe(400);
      expect(errorOf(told)).toEqual({
        type: "billing_error",
        message: "harness-wake: the run of this token is over, or never was",
      });
    }
    expect(server.asked).toEqual([]);
  });

  test.each([
    { path: "http://127.0.0.1:9/v1/messages", method: "POST" },
    { path: "//127.0.0.1:9/v1/messages", method: "POST" },
    { path: "/v1/files", method: "POST" },
    { path: "/v1/messages/../files", method: "POST" },
    { path: PATHS.messages, method: "GET" },
    { path: PATHS.messages, method: "DELETE" },
    { path: "/", method: "HEAD" },
  ])("to $method $path", async (asking) => {
    const { server, startRun } = await gatewayUnderTest();
    expect((await ask(startRun(), asking)).status).toBe(404);
    expect(server.asked).toEqual([]);
  });

  test.each([
    "CONNECT 127.0.0.1:9 HTTP/1.1\r\nHost: x",
    "GET /v1/responses HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade",
  ])("by %j", async (head) => {
    const { server, startRun } = await gatewayUnderTest();
    const run = startRun();
    const socket = connect(Number(new URL(run.baseUrl).port), "127.0.0.1");
    socket.write(`${head}\r\nAuthorization: Bearer ${run.token}\r\n\r\n`);
    let told = "";
    socket.on("data", (data) => {
      told += data;
      socket.end();
    });
    await once(socket, "close");
    expect(told).not.toMatch(/^HTTP\/1.1 (101|200)/);
    expect(server.asked).toEqual([]);
  });

  test("with a request over 64 MiB, whether it says so or not", async () => {
    const { server, startRun } = await gatewayUnderTest();
    const bytes = 64 * 1024 * 1024 + 1;
    const said = startRun();
    const response = await send(said, { body: "", headers: { "content-length": String(bytes) } }).response;
    expect(await text(response)).toContain("larger than 64 MiB");
    const chunked = startRun();
    expect(
      errorOf(await ask(chunked, { body: Buffer.alloc(bytes + 2_000_000, " "), headers: { "transfer-encoding": "chunked" } }))
        .message,
    ).toContain("larger than 64 MiB");
    expect([said.usage().lastError, chunked.usage().lastError]).toEqual(["context", "context"]);
    expect(server.asked).toEqual([]);
  });

  test("with more than 64 calls at once; the rest may try again", async () => {
    const { server, startRun } = await gatewayUnderTest([{ kind: "hang" }]);
    const run = startRun();
    const held = Array.from({ length: 64 }, () => send(run));
    await server.until(() => server.asked.length === 64);
    const told = await ask(run);
    expect([told.status, errorOf(told).message]).toEqual([502, "harness-wake: more than 64 calls at once"]);
    for (const { sent } of held) sent.destroy();
  });
});

describe("the API fails:", () => {
  test("its refusal of the key ends the run, and its own words about the key stay behind", async () => {
    const { server, startRun } = await gatewayUnderTest([
      status(401, { code: "invalid_api_key", message: `Incorrect API key provided: ${REAL_KEY.slice(0, 6)}***` }),
    ]);
    const run = startRun();
    const told = await ask(run);
    expect([told.status, told.headers["x-should-retry"]]).toEqual([400, "false"]);
    expect(errorOf(told).message).toBe("harness-wake: the API refused the worker's key, or its account (HTTP 401)");
    expect((await ask(run)).status).toBe(400);
    expect(server.asked).toHaveLength(1);
    expect(run.usage()).toMatchObject({ calls: 1, lastError: "auth" });
  });

  test.each<[number, string, string]>([
    [400, "invalid_request_error", "refused"],
    [404, "not_found_error", "refused"],
    [413, "request_too_large", "context"],
    [429, "rate_limit_error", "rate_limit"],
    [500, "api_error", "server"],
    [529, "overloaded_error", "server"],
  ])("its %i passes as it is, for the agent to act on", async (code, type, kind) => {
    const { startRun } = await gatewayUnderTest([
      status(code, { code: type, message: "in its own words", headers: { "retry-after": "2" } }),
    ]);
    const run = startRun();
    const told = await ask(run);
    expect(told).toMatchObject({ status: code, headers: { "retry-after": "2" } });
    expect(errorOf(told)).toMatchObject({ type, message: "in its own words" });
    expect(run.usage()).toMatchObject({ counted: 0, uncountedAnswers: 0, lastError: kind, refusal: null });
  });

  test.each<[string, ModelFault, string]>([
    ["429", status(429), "rate_limit"],
    ["503", status(503), "server"],
    ["resets", { kind: "reset" }, "network"],
  ])("%s for a minute end a run that goes on trying", async (_, fault, kind) => {
    const { clock, startRun } = await gatewayUnderTest([fault]);
    const run = startRun();
    for (let i = 0; i < 3; i++) {
      expect((await ask(run)).status).not.toBe(400);
      clock.ms += 20_000;
    }
    const told = await ask(run);
    expect(told.status).toBe(400);
    expect(errorOf(told).message).toMatch(
      /^harness-wake: the API has failed for 60 s \((HTTP 429|HTTP 503|ECONNRESET|UND_ERR_SOCKET)\)$/,
    );
    expect(run.usage()).toMatchObject({ lastError: kind, refusal: { kind } });
  });

  test("it is down: the agent is told in a form that it tries again", async () => {
    const { server, startRun } = await gatewayUnderTest();
    await server.down();
    const told = await ask(startRun());
    expect([told.status, errorOf(told)]).toEqual([
      502,
      { type: "api_error", message: "harness-wake: no answer from the API (ECONNREFUSED)" },
    ]);
  });

  test("it answers before it has read all: the agent gets the answer, and keeps its connection", async () => {
    const body = '{"error":{"type":"rate_limit_error"}}';
    const busy = `HTTP/1.1 429 Slow Down\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const hasty = createServer((socket) => {
      socket.on("error", () => undefined).on("data", (data) => String(data).startsWith("POST") && socket.write(busy + body));
    });
    await once(hasty.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void hasty.close());
    const url = `http://127.0.0.1:${(hasty.address() as AddressInfo).port}`;
    const run = (await gatewayUnderTest([], { upstream: { url } })).startRun();
    const socket = connect(Number(new URL(run.baseUrl).port), "127.0.0.1");
    for (let calls = 0; calls < 2; calls++) {
      socket.write(`POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${run.token}\r\nContent-Length: 10\r\n\r\nhalf`);
      const [told] = await once(socket, "data");
      expect(String(told)).toMatch(/^HTTP\/1.1 429 /);
      socket.write("a ");
      await ask(run);
      socket.write("body");
    }
    socket.destroy();
  });

  test("it hangs up in the middle of a request, and the agent is told", async () => {
    const rude = createServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    await once(rude.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void rude.close());
    const { startRun } = await gatewayUnderTest([], {
      upstream: { url: `http://127.0.0.1:${(rude.address() as AddressInfo).port}` },
    });
    const run = startRun();
    const told = await ask(run, { body: Buffer.alloc(20_000_000, " ") });
    expect([told.status, errorOf(told).type]).toEqual([502, "api_error"]);
    expect(run.usage().lastError).toBe("network");
  });

  test("a redirect is not followed, and ends the run", async () => {
    const elsewhere = await gatewayUnderTest();
    const { startRun } = await gatewayUnderTest([{ kind: "redirect", to: `${elsewhere.server.url}/v1/messages` }]);
    const told = await ask(startRun());
    expect(told.status).toBe(400);
    expect(told.headers.location).toBeUndefined();
    expect(elsewhere.server.asked).toEqual([]);
  });

  test("a proxy's page passes, and is no answer of the API", async () => {
    const { startRun } = await gatewayUnderTest([{ kind: "html" }]);
    const run = startRun();
    expect((await ask(run)).body).toContain("sign in");
    expect(run.usage()).toMatchObject({ uncountedAnswers: 1, lastError: "network" });
  });

  test("an error inside a stream passes, and is told", async () => {
    const { startRun } = await gatewayUnderTest([say("x", { after: { events: 2, next: "overloaded" } }), say("fine")]);
    const run = startRun();
    expect((await ask(run, { body: STREAMED })).body).toContain("overloaded_error");
    expect(run.usage()).toMatchObject({ input: USAGE.input, uncountedAnswers: 0, lastError: "server" });
    await ask(run, { body: STREAMED });
    expect(run.usage().lastError).toBeNull();
  });

  test("one that echoes its requests does not give the key away", async () => {
    const { startRun } = await gatewayUnderTest([{ kind: "echo" }]);
    const told = await ask(startRun());
    expect(told.body).toContain("[key]");
    expect(inspect(told)).not.toContain(REAL_KEY);
  });
});

describe("when the agent goes away", () => {
  test("in the middle of an answer, the rest is read and counted", async () => {
    const { gate, release } = released();
    const { server, startRun } = await gatewayUnderTest([say("hello", { after: { events: 2, next: gate } })]);
    const run = startRun();
    const { sent, response } = send(run, { body: STREAMED });
    await once(await response, "data");
    sent.destroy();
    const used = run.end();
    release();
    expect(await used).toMatchObject({ ...USAGE, uncountedAnswers: 0, lastError: null });
    expect([server.finished, server.hungUp]).toEqual([1, 0]);
  });

  test("without having read what was sent, the rest is read and counted all the same", async () => {
    const { server, startRun } = await gatewayUnderTest([say("x".repeat(20_000_000))]);
    const run = startRun();
    const { sent, response } = send(run, { body: STREAMED });
    (await response).pause();
    await expect.poll(() => run.usage().input).toBe(USAGE.input);
    expect(server.finished).toBe(0);
    await hangUp(sent);
    await server.until(() => server.finished === 1);
    expect(await run.end()).toMatchObject({ ...USAGE, uncountedAnswers: 0 });
  });

  test("before any of it, it is read and counted all the same", async () => {
    const { server, startRun } = await gatewayUnderTest();
    const { gate, release } = released();
    server.script = inTurn(say("hello", { after: { events: 0, next: gate } }));
    const run = startRun();
    const { sent } = send(run, { path: PATHS.responses, body: STREAMED });
    await server.until(() => server.asked.length === 1);
    await hangUp(sent);
    release();
    expect(await run.end()).toMatchObject(USAGE);
  });

  test("and the API refuses meanwhile, nobody is told, and nothing breaks", async () => {
    const { server, startRun } = await gatewayUnderTest([{ kind: "hang" }]);
    const run = startRun();
    const { sent } = send(run);
    await server.until(() => server.asked.length === 1);
    await hangUp(sent);
    await server.down();
    expect(await run.end()).toMatchObject({ calls: 1, lastError: "network" });
  });

  test("before it has said all, the API is not asked for an answer", async () => {
    const { server, startRun } = await gatewayUnderTest();
    const run = startRun();
    const { port } = new URL(run.baseUrl);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${run.token}\r\nContent-Length: 100\r\n\r\nhalf`);
    await expect.poll(() => run.usage().calls).toBe(1);
    socket.destroy();
    expect(await run.end()).toMatchObject({ calls: 1, uncountedAnswers: 0, lastError: null });
    expect(server.asked).toEqual([]);
  });
});

describe("when the run ends", () => {
  test("an agent that still listens is hung up on", async () => {
    const { gate, release } = released();
    const { startRun } = await gatewayUnderTest([say("hello", { after: { events: 2, next: gate } })]);
    const run = startRun();
    const response = await send(run, { body: STREAMED }).response;
    const closed = once(response, "error");
    const used = run.end();
    await closed;
    release();
    expect(await used).toMatchObject(USAGE);
  });

  test("an answer that does not come to its end in time is cut, and counts what it told", async () => {
    const { server, startRun } = await gatewayUnderTest([
      say("hello", { after: { events: 2, next: new Promise(() => undefined) } }),
    ]);
    const run = startRun();
    await once(await send(run, { body: STREAMED }).response, "data");
    expect(await run.end(0)).toMatchObject({ input: USAGE.input, output: 1, uncountedAnswers: 1, lastError: null });
    await server.until(() => server.hungUp === 1);
  });

  test("other runs go on", async () => {
    const { startRun } = await gatewayUnderTest();
    const [ended, going] = [startRun(), startRun()];
    await ended.end();
    expect((await ask(going)).status).toBe(200);
  });

  test("it gives the same when it is ended again", async () => {
    const { startRun } = await gatewayUnderTest();
    const run = startRun();
    await ask(run);
    expect(await run.end()).toEqual(await run.end());
  });
});

test("a closed gateway answers nobody, cuts what is under way, and may be closed again", async () => {
  const { server, gateway, startRun } = await gatewayUnderTest([{ kind: "hang" }]);
  const run = startRun();
  const { response } = send(run);
  await server.until(() => server.asked.length === 1);
  await gateway.close();
  await expect(response).rejects.toThrow();
  await expect(ask(run)).rejects.toThrow("ECONNREFUSED");
  await gateway.close();
});

test("tokens are long, and no two are the same", async () => {
  const { startRun } = await gatewayUnderTest();
  const tokens = Array.from({ length: 100 }, () => startRun().token);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{48,}$/);
});

test("an owner who throws when told of usage ends the run, and not the process", async () => {
  const { startRun } = await gatewayUnderTest();
  const run = startRun({
    onUsage: () => {
      throw new TypeError("owner's own fault");
    },
  });
  await expect(ask(run, { body: STREAMED })).rejects.toThrow();
  expect(errorOf(await ask(run)).message).toBe("harness-wake: the gateway failed (TypeError)");
});
