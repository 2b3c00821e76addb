import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** Twice what the largest request of any of the APIs may be. */
const REQUEST_BYTES_MAX = 64 * 1024 * 1024;

export class RequestTooLarge extends Error {
  constructor() {
    super(`the request is larger than ${REQUEST_BYTES_MAX / 1024 / 1024} MiB`);
  }
}

/** The request's body as it comes, unread. Fails with RequestTooLarge, at once where the request says its length. */
export function bodyOf(request: IncomingMessage): Readable {
  if (Number(request.headers["content-length"] ?? 0) > REQUEST_BYTES_MAX) throw new RequestTooLarge();
  return Readable.from(bytesOf(request));
}

async function* bytesOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > REQUEST_BYTES_MAX) throw new RequestTooLarge();
    yield chunk;
  }
}
