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
  // An API may answer before it has read all. The agent's connection must outlive that, or the answer would not reach it.
  return Readable.from(upTo(REQUEST_BYTES_MAX, request.iterator({ destroyOnReturn: false })));
}

async function* upTo(bytesMax: number, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new RequestTooLarge();
    yield chunk;
  }
}
