import { JobError } from "../errors/job-error.ts";
import { isLoopback } from "../http/loopback.ts";

/** One ntfy topic on one host. */
export interface NtfyAddress {
  /** Like `https://ntfy.sh`. Receipts and messages name nothing else of the address, because a topic's name is its password. */
  readonly origin: string;
  readonly topic: string;
  readonly authorization: string | undefined;
}

/**
 * Splits an ntfy url. Credentials in the url override the token. Throws JobError CONFIG if they would be sent unencrypted; the
 * message holds neither them nor the topic.
 */
export function ntfyAddress(url: string, token: string | undefined): NtfyAddress {
  const { protocol, hostname, origin, pathname, username, password } = new URL(url);
  const hasOwn = username !== "" || password !== "";
  const secret = hasOwn ? `${decode(username, origin)}:${decode(password, origin)}` : token;
  if (secret !== undefined && protocol !== "https:" && !isLoopback(hostname)) {
    throw configError(`${origin} would carry its token in the clear; use https`);
  }
  if (secret !== undefined && !secret.includes(":") && !/^[!-~]+$/.test(secret)) {
    throw configError(`the token for ${origin} holds a space, a line break or another character that no token has`);
  }
  return { origin, topic: pathname.slice(1), authorization: secret && authorizationOf(secret) };
}

function decode(part: string, origin: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw configError(`the credentials in the address of ${origin} are not percent-encoded right; write % as %25`);
  }
}

function configError(what: string): JobError {
  return new JobError("CONFIG", `ntfy.urls: ${what}`, { field: "ntfy.urls" });
}

function authorizationOf(secret: string): string {
  return secret.includes(":") ? `Basic ${Buffer.from(secret).toString("base64")}` : `Bearer ${secret}`;
}
