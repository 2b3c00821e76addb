import type { IncomingHttpHeaders } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** An answer of the API as it comes. */
export interface ApiAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Some servers pack an answer though nobody asked for it. One in a form that is not known stays as it is, and uncounted. */
export function unpacked(answer: ApiAnswer): ApiAnswer {
  const { "content-encoding": encoding = "", "content-length": _, ...headers } = answer.headers;
  const unpacker = UNPACKERS.get(encoding.trim().toLowerCase());
  if (unpacker === undefined) return answer;
  // A fault of the body comes out of what is read from: there alone it is told.
  return { ...answer, headers, body: pipeline(answer.body, unpacker(), () => undefined) };
}
