import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { JobError } from "../../errors/job-error.ts";
import type { EnvironmentVariables } from "../../facts/process-environment.ts";
import { isLoopback } from "../../http/loopback.ts";
import { proxiesOf } from "../../http/proxies.ts";
import { type Headers, headersForAgent, headersForApi } from "./headers.ts";
import type { Route } from "./routes.ts";
import { type ApiAnswer, unpacked } from "./unpack.ts";

/** The real API, and what it is asked with. */
export interface UpstreamOptions {
  /** Its address up to `/v1`, which the paths are appended to: `https://api.anthropic.com`. */
  readonly url: string;
  readonly key: string;
  /** How the key is sent: as `x-api-key`, or as `Authorization: Bearer`. */
  readonly scheme: "x-api-key" | "bearer";
  /** Its HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured. */
  readonly environment: EnvironmentVariables;
}

/** A connection takes milliseconds; after this the agent had better try again. */
const CONNECT_MS = 20_000;

/** Models think for minutes before they say a word: undici's own 300 s cuts long answers off. */
const SILENCE_MS_MAX = 600_000;

/** The one origin that calls go to, under the worker's key. */
export class Upstream {
  readonly #origin: string;
  readonly #basePath: string;
  readonly #key: string;
  readonly #auth: Readonly<Record<string, string>>;
  readonly #dispatcher: Dispatcher;

  private constructor({ url, key, scheme }: UpstreamOptions, dispatcher: Dispatcher) {
    const { origin, pathname } = new URL(url);
    this.#origin = origin;
    this.#basePath = pathname.replace(/\/+$/, "");
    this.#key = key;
    this.#auth = scheme === "bearer" ? { authorization: `Bearer ${key}` } : { "x-api-key": key };
    this.#dispatcher = dispatcher;
  }

  /** Throws JobError CONFIG for an address, a key or a proxy that cannot be used, with neither the key nor credentials in it. */
  static async open(options: UpstreamOptions): Promise<Upstream> {
    requireUsable(options);
    const proxies = proxiesOf(options.environment);
    const { EnvHttpProxyAgent } = await import("undici");
    const dispatcher = new EnvHttpProxyAgent({
      ...proxies,
      connect: { timeout: CONNECT_MS },
      headersTimeout: SILENCE_MS_MAX,
      bodyTimeout: SILENCE_MS_MAX,
      // Streams of one call must not stall with another's.
      allowH2: false,
    });
    return new Upstream(options, dispatcher);
  }

  /**
   * Sends one call; its body goes through as it comes, unread. A redirect is an answer like any other: it is not followed.
   * Fails as undici does.
   */
  async send({ path }: Route, headers: IncomingHttpHeaders, body: Readable, signal: AbortSignal): Promise<ApiAnswer> {
    const answer = await this.#dispatcher.request({
      origin: this.#origin,
      path: this.#basePath + path,
      method: "POST",
      headers: headersForApi(headers, this.#auth),
      body,
      signal,
    });
    return unpacked(answer);
  }

  /** What of the API's headers an agent gets. */
  headersForAgent(headers: IncomingHttpHeaders): Headers {
    return headersForAgent(headers, this.#key);
  }

  /** The text without the key, which a server that echoes its requests may have put there. */
  withoutKey(text: string): string {
    return text.replaceAll(this.#key, "[key]");
  }

  /** Cuts what is still under way. */
  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }
}

function requireUsable({ url, key }: UpstreamOptions): void {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !["http:", "https:"].includes(address.protocol)) {
    throw configError("is not an http or https address; write it as https://api.anthropic.com");
  }
  const { protocol, hostname, username, password, search, hash } = address;
  if (username !== "" || password !== "" || search !== "" || hash !== "") {
    throw configError("holds a user, a query or a fragment; write the host and the path before /v1 alone");
  }
  if (protocol === "http:" && !isLoopback(hostname)) throw configError("would carry the key in the clear; use https");
  if (!/^[!-~]+$/.test(key)) {
    throw new JobError("CONFIG", "the API key is empty, or holds a space, a line break or another character that no key has");
  }
}

function configError(what: string): JobError {
  return new JobError("CONFIG", `the API's address ${what}`);
}
