/** The limits of one run (contract §11). Pure: moments come with the events. */
export interface RunLimits {
  /** Turns that a run may take. A turn is one batch of tool calls, however many run at the same time. */
  readonly turnsMax: number;
  /** Milliseconds from the run's start. */
  readonly timeMsMax: number;
  /** The rejected submission that ends the run: 1 allows no second try. */
  readonly rejectionsMax: number;
}

/** What happens in a run, as its adapter sees it. */
export type RunEvent =
  /** The model asks for a tool. The adapter starts the call only where the answer is to go on. */
  | { readonly kind: "tool_called"; readonly call_id: string }
  | { readonly kind: "tool_answered"; readonly call_id: string }
  /** The submit tool judged what it was given; told before its call is answered. */
  | { readonly kind: "submitted"; readonly verdict: "accepted" | "rejected" }
  /** The model answered without asking for a tool. */
  | { readonly kind: "model_ended" }
  /** Nothing happened but time. */
  | { readonly kind: "time_passed" };

/**
 * Why a run is stopped.
 *
 * - `worked_past_submission`: the model asked for another tool after its submission was accepted. The submission stands.
 * - `time`: the time is over. An accepted submission stands.
 * - `rejections`: the last submission that it may make was rejected.
 * - `turns`: it asked for one more turn than it may take, or would need one to submit.
 * - `no_submission`: it ended without a submission, was reminded, and ended so again.
 */
export type StopReason = "worked_past_submission" | "time" | "rejections" | "turns" | "no_submission";

export type RunVerdict =
  | { readonly kind: "go_on" }
  /** Tell the model once more to submit; {@link REMINDER} is the text. Said once in a run. */
  | { readonly kind: "remind" }
  /** The run is over as it should be: its submission was accepted, and the model has ended. */
  | { readonly kind: "done" }
  /** Start nothing more, and end what runs. The first reason stays. */
  | { readonly kind: "stop"; readonly reason: StopReason };

export const REMINDER =
  "You ended without submitting. Call the tool `submit` now with your result; nothing else that you say is kept.";

/** What the limits need to know of a run so far. */
export interface RunProgress {
  readonly started_at_ms: number;
  readonly turns: number;
  readonly rejections: number;
  readonly is_accepted: boolean;
  readonly is_reminded: boolean;
  /** The calls that were started and not answered yet. */
  readonly calls: readonly string[];
  readonly over: Extract<RunVerdict, { readonly kind: "done" | "stop" }> | undefined;
}

/** A run that starts at that moment of a clock that only grows, in milliseconds. */
export function startOfRun(atMs: number): RunProgress {
  return {
    started_at_ms: atMs,
    turns: 0,
    rejections: 0,
    is_accepted: false,
    is_reminded: false,
    calls: [],
    over: undefined,
  };
}

/**
 * What one event makes of a run, and what the adapter has to do. Where several limits are met at once, the first of these
 * counts: work past an accepted submission, time, rejections, turns. What is over stays over, for the first reason.
 */
export function advance(limits: RunLimits, before: RunProgress, event: RunEvent, atMs: number): RunStep {
  if (before.over !== undefined) return { progress: before, verdict: before.over };
  const counted = count(before, event);
  const verdict = judge(limits, before, counted, event, atMs);
  switch (verdict.kind) {
    case "go_on":
      return { progress: counted, verdict };
    case "remind":
      return { progress: { ...counted, is_reminded: true }, verdict };
    case "done":
      return { progress: { ...counted, over: verdict }, verdict };
    case "stop":
      // A call that is refused was no turn.
      return { progress: { ...(event.kind === "tool_called" ? before : counted), over: verdict }, verdict };
  }
}

export interface RunStep {
  readonly progress: RunProgress;
  readonly verdict: RunVerdict;
}

/** The milliseconds that are left of a run's time; when they are over, the adapter tells `time_passed`. */
export function timeLeftMs(limits: RunLimits, progress: RunProgress, atMs: number): number {
  return Math.max(0, progress.started_at_ms + limits.timeMsMax - atMs);
}

function count(progress: RunProgress, event: RunEvent): RunProgress {
  const { turns, rejections, calls } = progress;
  switch (event.kind) {
    case "tool_called":
      // The model asks for all tools of a turn at once, so whoever is asked for beside another belongs to its turn.
      return { ...progress, turns: calls.length === 0 ? turns + 1 : turns, calls: [...calls, event.call_id] };
    case "tool_answered": {
      const at = calls.indexOf(event.call_id);
      return at === -1 ? progress : { ...progress, calls: calls.toSpliced(at, 1) };
    }
    case "submitted":
      return event.verdict === "accepted" ? { ...progress, is_accepted: true } : { ...progress, rejections: rejections + 1 };
    case "model_ended":
    case "time_passed":
      return progress;
  }
}

function judge(limits: RunLimits, before: RunProgress, counted: RunProgress, event: RunEvent, atMs: number): RunVerdict {
  // A call of the same turn was asked for before the model could know that its submission was accepted.
  const startsTurn = event.kind === "tool_called" && before.calls.length === 0;
  if (startsTurn && before.is_accepted) return stop("worked_past_submission");
  if (event.kind === "model_ended" && counted.is_accepted) return { kind: "done" };
  if (timeLeftMs(limits, counted, atMs) === 0) return stop("time");
  if (!counted.is_accepted && counted.rejections >= limits.rejectionsMax) return stop("rejections");
  if (counted.turns > limits.turnsMax) return stop("turns");
  if (event.kind !== "model_ended") return { kind: "go_on" };
  // To submit is a turn too.
  if (counted.turns >= limits.turnsMax) return stop("turns");
  return counted.is_reminded ? stop("no_submission") : { kind: "remind" };
}

function stop(reason: StopReason): RunVerdict {
  return { kind: "stop", reason };
}
