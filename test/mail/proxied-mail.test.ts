import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { proxiesOf, sparingLoopback } from "../../src/http/proxies.ts";
import type { MailOutcome } from "../../src/job/moves/delivery.ts";
import { NtfyInbox } from "../../src/mail/ntfy-inbox.ts";
import { NtfyMailer } from "../../src/mail/ntfy-mailer.ts";
import { type HttpProxy, startHttpProxy } from "../support/http-proxy.ts";
import { type NtfyServer, startNtfyServer } from "../support/ntfy-server.ts";
import { wakeLetter } from "../support/wake-letter.ts";

const TOPIC = "wakes";
const BEHIND = `http://ntfy.corp.invalid/${TOPIC}`;
const BEHIND_TLS = `https://ntfy.corp.invalid/${TOPIC}`;

let ntfy: NtfyServer;
let port: number;
beforeEach(async () => {
  ntfy = await startNtfyServer();
  port = Number(new URL(ntfy.url).port);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await ntfy.down();
});

const options = { clock: systemClock, timeoutMs: 30_000 };

async function proxyTo(behind: number, refusal?: number): Promise<HttpProxy> {
  const proxy = await startHttpProxy({ behind, ...(refusal !== undefined && { refusal }) });
  onTestFinished(() => proxy.down());
  return proxy;
}

async function send(url: string, environment?: Readonly<Record<string, string>>): Promise<MailOutcome | undefined> {
  const proxies = environment && sparingLoopback(proxiesOf(environment));
  const outcomes = await new NtfyMailer({ ...options, urls: [url], proxies }).send([wakeLetter(1)]);
  return [...outcomes.values()][0];
}

test("mail goes out and comes in through HTTP_PROXY, with its credentials", async () => {
  const proxy = await proxyTo(port);
  const environment = { HTTP_PROXY: proxy.url.replace("://", "://me:secret@") };
  const origin = "http://ntfy.corp.invalid";
  expect(await send(BEHIND, environment)).toEqual({ carrier: "MAIL", host: origin, http_status: 200 });
  const inbox = new NtfyInbox({ ...options, urls: [BEHIND], proxies: proxiesOf(environment) });
  expect(await inbox.poll()).toHaveLength(1);
  expect(proxy.targets).toEqual([`${origin}/`, `${origin}/${TOPIC}/json?poll=1&since=all`]);
  expect(new Set(proxy.authorizations)).toEqual(new Set([`Basic ${btoa("me:secret")}`]));
});

test("a stream through a proxy goes on, and ends when its reader leaves", async () => {
  const proxy = await proxyTo(port);
  const inbox = new NtfyInbox({ ...options, urls: [BEHIND], proxies: proxiesOf({ http_proxy: proxy.url }) });
  ntfy.post(TOPIC, wakeLetter(1).message);
  const heard: string[] = [];
  for await (const { attempt_id } of inbox.listen(new AbortController().signal)) {
    heard.push(attempt_id);
    break;
  }
  expect(heard).toEqual([wakeLetter(1).attempt_id]);
});

test("https goes through a tunnel of HTTPS_PROXY", async () => {
  const proxy = await proxyTo(port);
  // What answers in the tunnel speaks no TLS.
  expect(await send(BEHIND_TLS, { HTTPS_PROXY: proxy.url })).toMatchObject({ carrier: "FAILED" });
  expect(proxy.targets).toEqual(["ntfy.corp.invalid:443"]);
});

test.each([BEHIND, BEHIND_TLS])("a proxy that refuses is told apart from the host: %s", async (url) => {
  const proxy = await proxyTo(port, 407);
  const outcome = await send(url, { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });
  expect(outcome).toMatchObject({ carrier: "FAILED", http_status: null, error: "the proxy answered 407" });
});

test("NO_PROXY names hosts that are reached directly, and this machine always is", async () => {
  const proxy = await proxyTo(port);
  expect(await send(BEHIND, { HTTP_PROXY: proxy.url, NO_PROXY: ".corp.invalid" })).toMatchObject({ carrier: "FAILED" });
  expect(await send(`${ntfy.url}/${TOPIC}`, { HTTP_PROXY: proxy.url })).toMatchObject({ carrier: "MAIL" });
  expect(proxy.targets).toEqual([]);
});

test("without the environment's proxies there are none, whatever the process has", async () => {
  const proxy = await proxyTo(port);
  vi.stubEnv("HTTP_PROXY", proxy.url);
  vi.stubEnv("NO_PROXY", "");
  expect(await send(BEHIND)).toMatchObject({ carrier: "FAILED" });
  expect(await send(BEHIND, {})).toMatchObject({ carrier: "FAILED" });
  expect(proxy.targets).toEqual([]);
});
