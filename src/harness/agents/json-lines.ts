import { isJsonObject, type JsonObject } from "../../json/json.ts";
import { parseLossless } from "../../json/lossless-json.ts";

/** A tool's result may be megabytes on one line; more than this is passed over, and no closing record is that long. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;

const LINE_FEED = 0x0a;

/** Takes a stream apart into lines that hold JSON objects, whatever pieces it comes in. Other lines are passed over. */
export class JsonLines {
  readonly #take: (line: JsonObject) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(take: (line: JsonObject) => void) {
    this.#take = take;
  }

  add(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      this.#keep(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** After the last piece: a last line may have no end. */
  end(): void {
    this.#endLine();
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    if (piece.length > 0 && this.#bytes <= LINE_BYTES_MAX) this.#pieces.push(piece);
  }

  #endLine(): void {
    const isTooLong = this.#bytes > LINE_BYTES_MAX;
    const text = Buffer.concat(this.#pieces).toString().trim();
    this.#pieces = [];
    this.#bytes = 0;
    // Most lines are an agent's, but a program that it runs may write between them.
    if (isTooLong || !text.startsWith("{")) return;
    const line = objectIn(text);
    if (line !== undefined) this.#take(line);
  }
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseLossless(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    // Nested by the thousand, a text ends the parser by another error.
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    return undefined;
  }
}
