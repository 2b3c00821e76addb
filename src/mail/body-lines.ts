/** An ntfy event holds a message of 4 KiB and a title of 1 KiB; JSON may spell each of their bytes with six. */
const LINE_BYTES_MAX = 64 * 1024;

const LINE_FEED = 10;

/** The lines of a body as they arrive. A line that is too long is skipped without being kept in memory. */
export async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= LINE_BYTES_MAX) pieces.push(piece);
    else pieces = [];
  };
  const takeLine = (): string | undefined => {
    const line = bytes <= LINE_BYTES_MAX ? Buffer.concat(pieces).toString("utf8") : undefined;
    pieces = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of body) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to !== -1; to = chunk.indexOf(LINE_FEED, from)) {
      add(chunk.subarray(from, to));
      from = to + 1;
      const line = takeLine();
      if (line !== undefined) yield line;
    }
    add(chunk.subarray(from));
  }
  const rest = takeLine();
  if (rest) yield rest;
}
