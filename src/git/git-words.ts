import type { GitResult } from "./git.ts";

/** What git writes to stderr that is no complaint: how far it is, what it would advise, where it pushes to, traces. */
const NOISE = [
  /^(?:remote: )?(?:Enumerating|Counting|Compressing|Writing|Receiving|Unpacking|Finding|Resolving|Updating) /,
  /^(?:remote: )?Total \d/,
  /^(?:remote:)?\s*$/,
  /^hint:/,
  /^(?:To|From) \S+$/,
  /^ [ *+=!-] /,
  /^\d\d:\d\d:\d\d\.\d+ /,
  /^Please make sure you have the correct access rights$|^and the repository exists\.$/,
  /^error: failed to push some refs to /,
  /^warning:/i,
];

/** A message is for a person: past these a hook's speech is cut. */
const LINES_MAX = 20;
const CHARACTERS_MAX = 2_000;

/** On one line what git, ssh and the remote complain of; what kept git from answering comes first. */
export function complaintOf({ exit_code, stderr, broken }: Omit<GitResult, "stdout">): string {
  const words = wordsOf(stderr);
  if (broken !== undefined) return words === "" ? broken : `${broken}; ${words}`;
  return words || linesOf(stderr).at(-1)?.trim() || `git ended with exit code ${exit_code}`;
}

/** What is a complaint of all that git printed; empty where nothing is. */
export function wordsOf(stderr: string): string {
  const told = linesOf(stderr).filter((line) => !NOISE.some((noise) => noise.test(line)));
  const words = told.map((line) => line.replace(/^remote: /, "").trim()).slice(0, LINES_MAX);
  return words
    .join("; ")
    .slice(0, CHARACTERS_MAX)
    .replace(/[.\s]+$/, "");
}

function linesOf(stderr: string): readonly string[] {
  return stderr
    .split(/[\r\n]+/)
    .map(printable)
    .filter((line) => line.trim() !== "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u001f\u007f-\u009f]/g;

/** A remote's words end up on terminals. */
function printable(line: string): string {
  return line.replace(CONTROL, "");
}

/** A remote's URL may hold a token, and git quotes URLs when it complains; hooks quote tokens that they found. */
export function withoutCredentials(text: string): string {
  return (
    text
      // Up to the last @ before the path: a password may hold one, and git takes it for part of the password too.
      .replace(/:\/\/[^/\s]*@/g, "://")
      .replace(/(:\/\/[^\s'"?]*)\?[^\s'"]*/g, "$1")
      .replace(/\b(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_-]{8,}/g, "***")
  );
}
