/** Past this many lines a commit message is a log, and the job files say it better. */
const NOTES_MAX = 100;

/**
 * The message of a commit that moves jobs: what happened, for people; and a nonce, without which two machines that decide
 * the same in the same second would make the same commit and both believe that they had won (contract §7). The subject keeps
 * a forge from testing the repository at every claim.
 */
export function commitMessage(notes: readonly string[], nonce: string): string {
  const [first = "nothing"] = notes;
  const subject = notes.length === 1 ? first : countByKind(notes);
  const shown = notes.slice(0, NOTES_MAX);
  const rest = notes.length > shown.length ? [`and ${notes.length - shown.length} more`] : [];
  const body = notes.length === 1 ? [] : ["", ...shown, ...rest];
  return `${[`harness-wake: ${subject} [skip ci]`, ...body, "", `Nonce: ${nonce}`].join("\n")}\n`;
}

/** `12 WAKE, 3 STOP`: a note begins with what happened. */
function countByKind(notes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const note of notes) {
    const kind = note.split(" ", 1)[0] ?? note;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
}
