/** What moves a cursor, colours, ends a line or turns the direction of writing, in a terminal or a log. */
const ACTIVE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Words as they may stand in one line for people. Some of them come from job files, their names and git's remotes: as they
 * are, they could rewrite a terminal, or in a workflow's log begin a line with a command like `::stop-commands::`.
 */
export function printable(words: string): string {
  return words.replace(ACTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
