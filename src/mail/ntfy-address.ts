import { JobError } from "../job/job-error.ts";

/** One ntfy topic on one host, taken apart once. */
export interface NtfyAddress {
  /** As receipts and messages name it: without credentials. */
  readonly host: string;
  readonly origin: string;
  readonly topic: string;
  readonly authorization: string | undefined;
}

/**
 * Takes an ntfy url apart. Credentials in the url go over the token. Throws JobError CONFIG where they would travel in
 * the clear; the message holds none of them.
 */
export function ntfyAddress(url: string, token: string | undefined): NtfyAddress {
  const { protocol, hostname, origin, pathname, username, password } = new URL(url);
  const own = username === "" ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const secret = own ?? token;
  const host = origin + pathname;
  if (secret !== undefined && protocol !== "https:" && !isLoopback(hostname)) {
    throw new JobError("CONFIG", `ntfy.urls: ${host} would carry its token in the clear; use https`, { field: "ntfy.urls" });
  }
  return { host, origin, topic: pathname.slice(1), authorization: secret && authorizationOf(secret) };
}

function authorizationOf(secret: string): string {
  return secret.includes(":") ? `Basic ${Buffer.from(secret).toString("base64")}` : `Bearer ${secret}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}
