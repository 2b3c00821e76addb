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

type Part = "ours" | "base" | "theirs";

/** The conflicts that git left in a text; none where its markers are not whole. Reads each line once, however many there are. */
export function conflictsIn(text: string): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  let open: { readonly line: number; readonly name: string; part: Part; readonly lines: Record<Part, string[]> } | undefined;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const [, marker, name = ""] = /^(<{7}|\|{7}|={7}|>{7})(?: (.*))?$/.exec(line) ?? [];
    switch (marker) {
      case "<<<<<<<":
        open = { line: i + 1, name, part: "ours", lines: { ours: [], base: [], theirs: [] } };
        break;
      case "|||||||":
        if (open !== undefined) open.part = "base";
        break;
      case "=======":
        if (open !== undefined) open.part = "theirs";
        break;
      case ">>>>>>>":
        if (open?.part === "theirs") {
          const { lines } = open;
          conflicts.push({
            line: open.line,
            ours: { name: open.name, lines: lines.ours },
            theirs: { name, lines: lines.theirs },
          });
        }
        open = undefined;
        break;
      default:
        if (line.trim() !== "") open?.lines[open.part].push(line.trim());
    }
  }
  return conflicts;
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
