/** The text of an answer's body, as far as it is worth reading: a proxy's page is not read to its end. */
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

/** How long a Retry-After asks to wait. For its other form, a date, that is for ever: too rare to be worth a clock. */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  return typeof header === "string" && /^\d{1,6}(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Number.POSITIVE_INFINITY;
}

/** What went wrong with a connection, by its code: messages may quote what must not be kept. */
export function faultName(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError") return "timed out";
  // undici has no code of its own for a proxy that refuses.
  const status = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(error.message)?.[1];
  if (status !== undefined) return `the proxy answered ${status}`;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
