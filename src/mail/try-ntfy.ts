import type { Dispatcher } from "undici";
import { faultName, readUpTo } from "../http/http-answer.ts";
import type { Proxies } from "../http/proxies.ts";
import { isJsonObject } from "../json/json.ts";
import { parseJson } from "../json/parse-json.ts";
import { ntfyAddress } from "./ntfy-address.ts";

export interface TryNtfyOptions {
  /** Like `https://ntfy.sh/my-topic`. */
  readonly url: string;
  readonly token: string | undefined;
  readonly proxies: Proxies;
  /** How long one answer may take. */
  readonly timeoutMs: number;
}

/** What a host says of itself and of this publisher, in words; the topic, which is its own password, is in none of them. */
export interface NtfyTrial {
  readonly origin: string;
  readonly health: Trial;
  /** Whether a publish would be taken. */
  readonly publish: Trial;
}

export type Trial = { readonly state: "good" } | { readonly state: "bad" | "unsure"; readonly why: string };

const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Asks a host for its health, and whether it would take mail from here, and mails nobody: the message asks to be delayed by what
 * is no time, and not to be cached, which ntfy cannot do together. It refuses that as 400 after it has looked at who asks.
 * Throws JobError CONFIG for an address to which a token would be sent unencrypted.
 */
export async function tryNtfy({ url, token, proxies, timeoutMs }: TryNtfyOptions): Promise<NtfyTrial> {
  const { origin, topic, authorization } = ntfyAddress(url, token);
  const { EnvHttpProxyAgent, request } = await import("undici");
  const agent = new EnvHttpProxyAgent({ ...proxies, connect: { timeout: timeoutMs } });
  const ask = async (path: string, options: Pick<Dispatcher.RequestOptions, "method" | "body">): Promise<Answer | string> => {
    try {
      const headers = { "content-type": "application/json", ...(authorization !== undefined && { authorization }) };
      const signal = AbortSignal.timeout(timeoutMs);
      const { statusCode, body } = await request(`${origin}${path}`, { dispatcher: agent, headers, signal, ...options });
      return { status: statusCode, fields: fieldsOf(await readUpTo(ANSWER_BYTES_MAX, body)) };
    } catch (error) {
      return faultName(error);
    }
  };
  const body = JSON.stringify({ topic, message: "harness-wake doctor", delay: "no time at all", cache: "no", firebase: "no" });
  try {
    const health = healthOf(await ask("/v1/health", { method: "GET" }));
    return { origin, health, publish: publishOf(await ask("/", { method: "POST", body })) };
  } finally {
    await agent.destroy();
  }
}

interface Answer {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

function healthOf(answer: Answer | string): Trial {
  if (typeof answer === "string") return { state: "bad", why: answer };
  const { status, fields } = answer;
  if (status === 200 && fields["healthy"] === true) return { state: "good" };
  return { state: "bad", why: `answered ${status}, and not that it is healthy` };
}

function publishOf(answer: Answer | string): Trial {
  if (typeof answer === "string") return { state: "bad", why: answer };
  const { status, fields } = answer;
  if (status === 400 && typeof fields["code"] === "number" && DELAY_CODES.includes(fields["code"])) return { state: "good" };
  const why = WHY[status];
  if (why !== undefined) return { state: "bad", why: `${why} (HTTP ${status})` };
  return { state: "unsure", why: `it answered ${status} to a message that ntfy refuses as 400` };
}

/** ntfy's own: a delay without the cache, and a delay that is no time. */
const DELAY_CODES = [40002, 40004];

const WHY: Readonly<Record<number, string>> = {
  401: "it does not know the token or password",
  403: "this token, or whoever has none, may not write to the topic",
  404: "no ntfy server is at that address",
  429: "it takes no more messages from here for now",
};

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
