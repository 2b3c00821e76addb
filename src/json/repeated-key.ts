/** A key that one object of a text holds twice. */
export interface RepeatedKey {
  /** From the top: keys, and indexes in arrays. */
  readonly path: readonly (string | number)[];
  /** The lines of its first two places, counted from 1. */
  readonly lines: readonly [number, number];
}

/** An object or array that is open where the reader stands. */
interface Open {
  /** The lines of an object's keys so far; undefined in an array. */
  readonly keyLines: Map<string, number> | undefined;
  /** Of the member or entry that the reader is in. */
  place: string | number;
}

/**
 * The first key that an object of the text holds twice. The text must be JSON. What is under the top's key `opaque` is passed
 * over. Reads character by character: {@link surveyJson} tells cheaply when there is nothing to find.
 */
export function findRepeatedKey(text: string, opaque?: string): RepeatedKey | undefined {
  const open: Open[] = [];
  let line = 1;
  let string = "";
  for (let at = 0; at < text.length; at++) {
    const innermost = open.at(-1);
    switch (text[at]) {
      case "\n":
        line++;
        break;
      case "{":
        open.push({ keyLines: new Map(), place: "" });
        break;
      case "[":
        open.push({ keyLines: undefined, place: 0 });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (typeof innermost?.place === "number") innermost.place++;
        break;
      case '"': {
        const end = endOfString(text, at);
        string = text.slice(at, end);
        at = end - 1;
        break;
      }
      case ":": {
        if (innermost?.keyLines === undefined) break;
        // A string by itself is not misread as a key may be.
        const key: string = JSON.parse(string);
        const before = innermost.keyLines.get(key);
        innermost.place = key;
        const isOpaque = open.length > 1 && open[0]?.place === opaque;
        if (before !== undefined && !isOpaque) return { path: open.map(({ place }) => place), lines: [before, line] };
        innermost.keyLines.set(key, line);
      }
    }
  }
  return undefined;
}

/** Where the string that begins at `start` is over: past its closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"' && at < text.length) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** The key's path and lines as a message names them: `lease.until stands twice, in lines 12 and 15`. */
export function describeRepeatedKey({ path, lines: [first, second] }: RepeatedKey): string {
  return `${path.join(".")} stands twice, in ${first === second ? `line ${first}` : `lines ${first} and ${second}`}`;
}
