import type { IncomingHttpHeaders } from "node:http";

export type Headers = Record<string, string | string[]>;

/** They speak of one connection, and say nothing on the next (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

const KEPT_FROM_API = new Set([
  ...HOP_BY_HOP,
  // Whatever an agent sends to prove itself is for the gateway.
  "api-key",
  "authorization",
  "cookie",
  "x-api-key",
  "x-goog-api-key",
  // undici's to write; and an answer that comes packed could not be read as it passes.
  "accept-encoding",
  "expect",
  "host",
]);

const KEPT_FROM_AGENT = new Set([
  ...HOP_BY_HOP,
  // They point elsewhere, or speak of the API's own host.
  "alt-svc",
  "location",
  "set-cookie",
  "strict-transport-security",
  "www-authenticate",
]);

/** A value that Node will write. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** An agent's headers as the API gets them, with the worker's key for whatever the agent proved itself with. */
export function headersForApi(headers: IncomingHttpHeaders, auth: Readonly<Record<string, string>>): Headers {
  return { ...without(headers, KEPT_FROM_API), ...auth };
}

/** The API's headers as the agent gets them. A header that holds the key, as of a server that echoes, is left out. */
export function headersForAgent(headers: IncomingHttpHeaders, key: string): Headers {
  const kept = Object.entries(without(headers, KEPT_FROM_AGENT));
  return Object.fromEntries(kept.filter(([, value]) => [value].flat().every((one) => VALUE.test(one) && !one.includes(key))));
}

function without(headers: IncomingHttpHeaders, names: ReadonlySet<string>): Headers {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const kept: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !names.has(name) && !named.has(name)) kept[name] = value;
  }
  return kept;
}
