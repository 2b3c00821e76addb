/**
 * What moves a cursor, colours, ends a line or turns the direction of writing, in a terminal or a log; and what makes a log of
 * GitHub Actions, or of one that took over its commands, obey: the second character of `::name` and of `##[name]`.
 */
const ACTIVE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?<=:):(?=[A-Za-z])|(?<=#)#(?=\w*\[)/gu;

/**
 * Words as they may stand in one line for people. Some of them come from job files, their names and git's remotes, and could
 * otherwise rewrite a terminal or stop a workflow's log.
 */
export function printable(words: string): string {
  return words.replace(ACTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same for several lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** A record as one line of JSON with the same values. Outside of strings JSON holds nothing that has to be escaped. */
export function printableJson(record: unknown): string {
  const json = JSON.stringify(record);
  return isPlainlyQuiet(json) ? json : printable(json);
}

/** Tells most large records in a third of the time: JSON has escaped all of ASCII's controls but DEL. */
function isPlainlyQuiet(json: string): boolean {
  return Buffer.byteLength(json) === json.length && !json.includes("\u007f") && !json.includes("::") && !json.includes("##");
}
