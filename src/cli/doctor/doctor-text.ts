import { printable } from "../printable.ts";
import { type Line, line, type Screen, type Style } from "../styled-text.ts";
import { wrapped } from "../wrapped.ts";
import type { Finding, Remedy } from "./finding.ts";
import type { CheckedFinding } from "./run-checks.ts";

const MARKS = { trouble: "!", note: "~", ok: " " } as const satisfies Record<Finding["level"], string>;
const STYLES = { trouble: "alarm", note: "caution", ok: "quiet" } as const satisfies Record<Finding["level"], Style>;

const INDENT = "    ";

/** What was found, for people: what needs one first, then what is worth knowing, then what is well. */
export function doctorLines(findings: readonly CheckedFinding[], screen: Screen): readonly Line[] {
  const of = (level: Finding["level"]) => findings.filter((finding) => finding.level === level);
  const troubles = of("trouble").length;
  return [
    ...(["trouble", "note", "ok"] as const).flatMap((level) => of(level).flatMap((finding) => findingLines(finding, screen))),
    line(""),
    troubles === 0
      ? line("nothing needs a person", "good")
      : line(`${troubles} ${troubles === 1 ? "finding needs" : "findings need"} a person, marked !`, "alarm"),
  ];
}

function findingLines({ check, level, found, means, remedy }: CheckedFinding, { columns }: Screen): readonly Line[] {
  // The first line stands further left by the indent of the others.
  const [head = "", ...rest] = wrapped(`${MARKS[level]} ${check}: ${found}`, columns, INDENT);
  const more = [...rest, ...(means === undefined ? [] : wrapped(means, columns, INDENT))];
  const todo = remedy === undefined ? [] : remedyLines(remedy, columns);
  return [line(head.slice(INDENT.length), STYLES[level]), ...[...more, ...todo].map((text) => line(text))];
}

/** A command stays in one line, however long it is, so that it can be copied. */
function remedyLines({ command, decision }: Remedy, columns: Screen["columns"]): readonly string[] {
  return command === undefined ? wrapped(`→ ${decision}`, columns, INDENT) : [`${INDENT}→ ${printable(command)}`];
}
