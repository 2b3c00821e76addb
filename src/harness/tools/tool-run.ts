import type { Clock } from "../../facts/clock.ts";
import { later } from "../../facts/pause.ts";
import type { JsonObject } from "../../json/json.ts";
import { advance, type RunEvent, type RunLimits, type RunVerdict, startOfRun, timeLeftMs } from "./run-limits.ts";
import { Submission } from "./submission.ts";
import { failure, type Tool, type ToolResult } from "./tool.ts";

export interface ToolRunOptions {
  /** All but `submit`, which the run adds. */
  readonly tools: readonly Tool[];
  /** The JSON Schema of what the run is to submit. */
  readonly schema: JsonObject;
  /** Why an output of the right type is not taken all the same. */
  readonly check?: ((output: JsonObject) => string | undefined) | undefined;
  readonly limits: RunLimits;
  readonly clock: Pick<Clock, "monotonic">;
  /** Does something once, later; gives what calls it off. */
  readonly later?: typeof later;
}

type Over = Extract<RunVerdict, { readonly kind: "done" | "stop" }>;

/** The tools of one run under its limits: an adapter hands the model's calls in, and is told when the run is over. */
export class ToolRun {
  /** Every tool that the model gets. `call` goes through the limits. */
  readonly tools: readonly Tool[];
  /** Settles when the run is over, with the first reason. Never rejects. */
  readonly over: Promise<Over>;
  readonly #limits: RunLimits;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #submission: Submission;
  readonly #ending = new AbortController();
  readonly #end = Promise.withResolvers<Over>();
  #callOffTime: () => void = () => undefined;
  #progress: ReturnType<typeof startOfRun>;
  #calls = 0;

  /** Starts the run's time. Throws JobError SCHEMA for a schema that cannot be used. */
  constructor({ tools, schema, check, limits, clock, later: doLater = later }: ToolRunOptions) {
    this.#limits = limits;
    this.#clock = clock;
    this.over = this.#end.promise;
    this.#submission = new Submission({
      schema,
      check,
      rejectionsMax: limits.rejectionsMax,
      onVerdict: (verdict) => void this.#take({ kind: "submitted", verdict }),
    });
    this.tools = [...tools, this.#submission.tool].map((tool) => ({
      ...tool,
      call: (input, signal) => this.#call(tool, input, signal),
    }));
    this.#progress = startOfRun(clock.monotonic());
    this.#watchTime(doLater);
  }

  /** What was accepted, whatever ended the run afterwards; undefined where nothing was. */
  get output(): JsonObject | undefined {
    return this.#submission.output;
  }

  get turns(): number {
    return this.#progress.turns;
  }

  /** Told when the model has answered without asking for a tool. */
  modelEnded(): RunVerdict {
    return this.#take({ kind: "model_ended" });
  }

  /** Ends what still runs of the tools; for an adapter whose run ended by itself. */
  close(): void {
    this.#callOffTime();
    this.#ending.abort();
  }

  /** A timer may go off a moment before its time is over by our clock; it is set again then. */
  #watchTime(doLater: typeof later): void {
    const leftMs = timeLeftMs(this.#limits, this.#progress, this.#clock.monotonic());
    this.#callOffTime = doLater(Math.ceil(leftMs), () => {
      if (this.#take({ kind: "time_passed" }).kind === "go_on") this.#watchTime(doLater);
    });
  }

  async #call(tool: Tool, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const call_id = String(this.#calls++);
    const verdict = this.#take({ kind: "tool_called", call_id });
    if (verdict.kind !== "go_on") return failure("The run is over: no tool is called any more.");
    try {
      return await tool.call(input, AbortSignal.any([signal, this.#ending.signal]));
    } finally {
      this.#take({ kind: "tool_answered", call_id });
    }
  }

  #take(event: RunEvent): RunVerdict {
    const { progress, verdict } = advance(this.#limits, this.#progress, event, this.#clock.monotonic());
    this.#progress = progress;
    if (progress.over !== undefined && !this.#ending.signal.aborted) {
      this.close();
      this.#end.resolve(progress.over);
    }
    return verdict;
  }
}
