import { type Line, line, type Screen, type Style } from "../styled-text.ts";
import { wrapped } from "../wrapped.ts";
import type { Finding } from "./finding.ts";
import type { CheckedFinding } from "./run-checks.ts";

const MARKS = { trouble: "!", note: "~", ok: " " } as const satisfies Record<Finding["level"], string>;
const STYLES = { trouble: "alarm", note: "caution", ok: "quiet" } as const satisfies Record<Finding["level"], Style>;

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
  const [head = "", ...rest] = wrapped(`${MARKS[level]} ${check}: ${found}`, columns, "");
  const more = [...rest.map((text) => `    ${text}`), ...(means === undefined ? [] : wrapped(means, columns, "    "))];
  const todo = remedy === undefined ? [] : wrapped(`→ ${remedy.command ?? remedy.decision}`, columns, "    ");
  return [line(head, STYLES[level]), ...[...more, ...todo].map((text) => line(text))];
}
