/** One place at which a merge stopped, with what both sides have there. */
export interface Conflict {
  readonly line: number;
  readonly ours: Side;
  readonly theirs: Side;
}

interface Side {
  /** What git calls it: a branch, or a commit. */
  readonly name: string;
  readonly lines: readonly string[];
}

/** The conflicts that git left in a text; none where its markers are not whole. */
export function conflictsIn(text: string): readonly Conflict[] {
  const conflict =
    /^<{7} ?(.*)\n((?:(?!={7}$)(?!\|{7}).*\n)*)(?:\|{7}.*\n(?:(?!={7}$).*\n)*)?={7}\n((?:(?!>{7}).*\n)*)>{7} ?(.*)$/gm;
  return [...text.replaceAll("\r\n", "\n").matchAll(conflict)].map(
    ([_, ours = "", our = "", their = "", theirs = ""], i, all) => ({
      line: text.slice(0, all[i]?.index).split("\n").length,
      ours: { name: ours, lines: linesOf(our) },
      theirs: { name: theirs, lines: linesOf(their) },
    }),
  );
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

const LINES_MAX = 3;
const CHARACTERS_MAX = 100;

/** Both sides in a few words. */
export function conflictWords({ line, ours, theirs }: Conflict): string {
  return `line ${line}: ${sideWords(ours, "ours")}; ${sideWords(theirs, "theirs")}`;
}

function sideWords({ name, lines }: Side, fallback: string): string {
  const told = lines
    .slice(0, LINES_MAX)
    .map((line) => (line.length > CHARACTERS_MAX ? `${line.slice(0, CHARACTERS_MAX)}…` : line));
  const more = lines.length > LINES_MAX ? ` and ${lines.length - LINES_MAX} lines more` : "";
  return `${name || fallback} has ${told.length === 0 ? "nothing" : told.join(" ")}${more}`;
}
