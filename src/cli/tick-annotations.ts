import type { TickSummary } from "../wake/summary.ts";
import { type Annotation, annotationLine } from "./workflow-command.ts";

/** GitHub shows so many errors and so many warnings of a step, and drops the rest. */
const SHOWN_MAX = 10;

/** Broken files and failed mail of a pass, as lines that make GitHub Actions show them beside the run. */
export function tickAnnotations({ jobs, deliveries }: TickSummary): string {
  const broken = jobs.flatMap(({ error }) =>
    error === undefined ? [] : [{ level: "error", title: "broken job file", ...error, file: error.file ?? undefined } as const],
  );
  const failed = deliveries.flatMap(({ ok, attempt_id, error, state }) =>
    ok
      ? []
      : [
          {
            level: "warning",
            title: "mail failed",
            message: `${attempt_id}: ${error ?? state}; it is owed, and tried again`,
          } as const,
        ],
  );
  return [...shown(broken), ...shown(failed)].map(annotationLine).join("");
}

/** All where they fit, or as many as fit and how many more there are. */
function shown(annotations: readonly Annotation[]): readonly Annotation[] {
  const [first] = annotations;
  if (first === undefined || annotations.length <= SHOWN_MAX) return annotations;
  const told = annotations.slice(0, SHOWN_MAX - 1);
  const message = `and ${annotations.length - told.length} more; the run's summary lists them`;
  return [...told, { level: first.level, title: first.title, message }];
}
