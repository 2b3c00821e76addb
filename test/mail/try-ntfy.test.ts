import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_PROXIES } from "../../src/http/proxies.ts";
import { tryNtfy } from "../../src/mail/try-ntfy.ts";
import { type NtfyServer, startNtfyServer } from "../support/ntfy-server.ts";

let server: NtfyServer;
beforeAll(async () => {
  server = await startNtfyServer({ authorizations: ["Bearer tk_good"] });
});
afterAll(() => server.down());

function ask(token: string | undefined) {
  return tryNtfy({ url: `${server.url}/harbor`, token, proxies: NO_PROXIES, timeoutMs: 10_000 });
}

test("who may write is told so, and nobody is mailed", async () => {
  expect(await ask("tk_good")).toEqual({ origin: server.url, health: { state: "good" }, publish: { state: "good" } });
  expect(server.messages("harbor")).toEqual([]);
});

test.each([
  ["tk_bad", /does not know the token or password \(HTTP 401\)/],
  [undefined, /may not write to the topic \(HTTP 403\)/],
])("who may not, with the token %s, is told why", async (token, why) => {
  expect((await ask(token)).publish).toEqual({ state: "bad", why: expect.stringMatching(why) });
});

test("a limit that is used up is told as one", async () => {
  server.orderPublish({ kind: "status", status: 429 });
  expect((await ask("tk_good")).publish).toMatchObject({ state: "bad", why: expect.stringContaining("no more messages") });
});

test("a proxy's page in the place of ntfy's answer proves nothing", async () => {
  server.orderPublish({ kind: "html" });
  expect((await ask("tk_good")).publish).toMatchObject({ state: "unsure" });
});
