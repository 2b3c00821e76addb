/** The text of an answer's body, up to about `bytesMax`: the page of a proxy may be long. */
export async function readUpTo(bytesMax: number, body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** How long a Retry-After asks to wait, in ms. Infinity for its other form, a date, which is too rare to need a clock here. */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  return typeof header === "string" && /^\d{1,6}(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Number.POSITIVE_INFINITY;
}

/** What went wrong with a connection. By its code, because messages may quote an address or a secret. */
export function faultName(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError") return "timed out";
  // undici has no code of its own for a proxy that refuses.
  const status = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(error.message)?.[1];
  if (status !== undefined) return `the proxy answered ${status}`;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
