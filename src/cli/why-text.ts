import { parseTime } from "../job/time.ts";
import type { Compared } from "../report/compared.ts";
import type { Explanation, RuleStep } from "../report/explanation.ts";
import { relativeTime } from "./relative-time.ts";
import { type Line, line, type Screen, type Style } from "./styled-text.ts";
import { wrapped } from "./wrapped.ts";

const INDENT = " ".repeat(14);

/** The rules that were passed and the one that matched, each with the values that it compared. */
export function whyLines(explanation: Explanation, { columns }: Screen): readonly Line[] {
  const { job_id, action, reason, rule, now, deliver } = explanation;
  const tick = deliver ? "a tick that mails" : "a tick";
  return [
    ...wrapped(`${job_id}: ${action} ${reason}, by rule ${rule}`, columns, "").map((text) => line(text, "heading")),
    ...wrapped(`${tick} at ${now} goes through the rules of contract §3; the first that matches decides`, columns, "").map(
      (text) => line(text),
    ),
    line(""),
    ...explanation.rules.flatMap((step) => stepLines(step, columns)),
    line(""),
    ...wrapped(changeWords(explanation), columns, "").map((text) => line(text)),
  ];
}

const STYLES = { passed: "quiet", "went on": "caution", matched: "heading" } as const satisfies Record<
  RuleStep["outcome"],
  Style
>;

function stepLines({ rule, when, outcome, compared }: RuleStep, columns: number | undefined): readonly Line[] {
  const [first = "", ...more] = wrapped(when, columns, INDENT);
  const label = `${outcome.padEnd(9)}${rule}`.padEnd(INDENT.length);
  const values = valueWords(compared);
  return [
    [{ text: label, style: STYLES[outcome] }, { text: first.slice(INDENT.length) }],
    ...more.map((text) => line(text)),
    ...(values === "" ? [] : wrapped(values, columns, INDENT).map((text) => line(text, "quiet"))),
  ];
}

function valueWords(compared: Compared): string {
  return Object.entries(compared)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value || '""' : value}`)
    .join("  ");
}

function changeWords({ now, changes }: Explanation): string {
  if (changes === null) return "By time alone this answer never changes.";
  const { at, action, reason, rule } = changes;
  const away = relativeTime(at, parseTime(now) ?? 0);
  return `If nobody touches the job, the answer changes at ${at} (${away}) to ${action} ${reason}, by rule ${rule}.`;
}
