import type { JsonObject } from "../../json/json.ts";
import { type AgentError, sayAgentError } from "../agents/agent-error.ts";
import type { RunTiming } from "../enclosure/run-enclosed.ts";
import type { HarnessEvent, RunOutcome, RunResult } from "../harness.ts";
import { REMINDER, type RunLimits, type StopReason } from "../tools/run-limits.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRun } from "../tools/tool-run.ts";
import { boundedTools, customTools } from "./custom-tools.ts";
import type { CursorSdk, SdkAgent, SdkRun, SdkRunResult } from "./sdk.ts";
import { endedError, thrownError } from "./sdk-error.ts";
import { RunOver, SdkWaits } from "./sdk-waits.ts";
import { TokenCount } from "./token-count.ts";

/** With its own retries the SDK needs 16 s to find no API. An API that takes the call and says nothing is given up after this. */
const CREATE_MS_MAX = 120_000;

/** A stream that is over without a result gets none. */
const RESULT_MS_MAX = 60_000;

export interface AgentRequest {
  readonly model: string;
  readonly apiKey: string;
  /** In the place of Cursor's own; absent, that stays. */
  readonly systemPrompt?: string;
  readonly message: string;
  /** The workspace. */
  readonly directory: string;
  /** Where the conversation is kept: this run's own. */
  readonly store: string;
  readonly limits: RunLimits;
  /** The JSON Schema of what is to be submitted, and why something of that type is not taken all the same. */
  readonly schema: JsonObject;
  readonly check?: (output: JsonObject) => string | undefined;
  /** The job's tokens left. */
  readonly tokensMax: number;
}

export interface AgentPorts {
  readonly sdk: CursorSdk;
  /** All but `submit`. */
  readonly tools: readonly Tool[];
  readonly timing: RunTiming;
  readonly emit: (event: HarnessEvent) => void;
  /** Tells of an error that came too late to matter. */
  readonly note: (message: string) => void;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

/**
 * Runs one local agent of the SDK from its first message to its end (contract §11, §13). Whatever the SDK does is a result, and
 * comes in time. Throws JobError SCHEMA for a schema that cannot be used.
 */
export async function runAgent(request: AgentRequest, ports: AgentPorts): Promise<RunResult> {
  return new AgentRun(request, ports).go();
}

/** Why a run ended, where it was not its agent that said so. */
interface End {
  readonly outcome: Exclude<RunOutcome, "submitted">;
  readonly detail: string;
}

class AgentRun {
  readonly #request: AgentRequest;
  readonly #ports: AgentPorts;
  readonly #over = new AbortController();
  readonly #waits: SdkWaits;
  readonly #tokens = new TokenCount();
  readonly #tools: ToolRun;
  readonly #startedAtMs: number;
  /** Calls of tools that have not cleared up yet. */
  readonly #calls = new Set<Promise<unknown>>();
  /** The first reason stays. */
  #end: End | undefined;

  constructor(request: AgentRequest, ports: AgentPorts) {
    const { timing } = ports;
    this.#request = request;
    this.#ports = ports;
    this.#waits = new SdkWaits(timing, this.#over.signal, ports.note);
    this.#startedAtMs = timing.clock.monotonic();
    this.#tools = new ToolRun({
      ...request,
      tools: boundedTools(ports.tools, timing, (call) => {
        this.#calls.add(call);
        void call.then(() => this.#calls.delete(call));
      }),
      clock: timing.clock,
      later: laterBy(timing),
    });
    void this.#tools.over.then((over) => {
      if (over.kind === "stop") this.#stop(ENDS[over.reason]);
    });
  }

  async go(): Promise<RunResult> {
    const { signal, timing, emit } = this.#ports;
    const onAbort = (): void => void this.#stop({ outcome: "cancelled", detail: "it was told to end" });
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const result = this.#result(await this.#converse());
    this.#over.abort();
    this.#tools.close();
    // What a shell started must be gone before this process is.
    await this.#waits.politely(() => Promise.all(this.#calls));
    signal.removeEventListener("abort", onAbort);
    const duration_ms = Math.round(timing.clock.monotonic() - this.#startedAtMs);
    emit({ event: "finish", outcome: result.outcome, turns: result.turns, duration_ms });
    return result;
  }

  /** From the first message until the agent has ended, or the run is over. Gives the cost in dollars, where it is known. */
  async #converse(): Promise<number | undefined> {
    let agent: SdkAgent | undefined;
    try {
      agent = await this.#create();
      for (let message = this.#request.message; (await this.#ask(agent, message)) === "remind"; ) message = REMINDER;
    } catch (error) {
      if (!(error instanceof RunOver)) this.#fail(thrownError(error));
    }
    if (agent === undefined) return undefined;
    const cost = this.#end?.outcome === "cancelled" ? undefined : await this.#costOf(agent);
    await this.#letGo(agent);
    return cost;
  }

  async #create(): Promise<SdkAgent> {
    this.#requireGoingOn();
    const { model, apiKey, systemPrompt, directory, store } = this.#request;
    const { sdk } = this.#ports;
    const creating = sdk.Agent.create({
      model: { id: model },
      apiKey,
      // Leaves out all tools of its own, and keeps ours.
      tools: ["mcp"],
      ...(systemPrompt !== undefined && { systemPrompt }),
      local: {
        cwd: directory,
        // No rules, no AGENTS.md, no hooks: neither the checkout's nor the user's.
        settingSources: [],
        customTools: this.#customTools(),
        store: new sdk.JsonlLocalAgentStore(store),
        enableAgentRetries: true,
      },
    });
    try {
      return await this.#waits.within(CREATE_MS_MAX, `no answer within ${CREATE_MS_MAX / 1000} s`, creating);
    } catch (error) {
      // An agent that comes after all would live on without anybody.
      creating.then((agent) => this.#letGo(agent)).catch(() => undefined);
      throw error;
    }
  }

  #customTools(): ReturnType<typeof customTools> {
    const { timing, emit } = this.#ports;
    const turnEnded = (): void => {
      const tokens_used = this.#tokens.total();
      emit({ event: "finish-step", turns: this.#tools.turns, ...(tokens_used !== undefined && { tokens_used }) });
    };
    return customTools(this.#tools.tools, { timing, emit, over: this.#over.signal, turnEnded });
  }

  /** One message, until its run has ended. A second one before that would be refused. */
  async #ask(agent: SdkAgent, message: string): Promise<"remind" | "over"> {
    this.#requireGoingOn();
    const run = await this.#waits.until(agent.send(message));
    const result = await this.#resultOf(run);
    if (result.status === "error") throw this.#fail(endedError(result.error));
    if (result.status === "cancelled") throw this.#stop({ outcome: "cancelled", detail: "it was cancelled, and not from here" });
    const { kind } = this.#tools.modelEnded();
    return kind === "remind" ? "remind" : "over";
  }

  async #resultOf(run: SdkRun): Promise<SdkRunResult> {
    const reading = this.#read(run);
    const waiting = run.wait();
    try {
      const unheard = reading.then(() => this.#waits.within(RESULT_MS_MAX, "its stream ended without a result", waiting));
      const result = await this.#waits.until(Promise.race([waiting, unheard]));
      // There is nothing more to come; but some streams never end.
      await this.#waits.politely(() => reading);
      this.#tokens.end(result);
      this.#checkBudget();
      return result;
    } catch (error) {
      await this.#waits.politely(() => run.cancel());
      // What it had used by then it may still tell.
      this.#tokens.end(await this.#waits.politely(() => waiting));
      throw error;
    }
  }

  /** Never rejects: what a run came to is its result's to say. */
  async #read(run: SdkRun): Promise<void> {
    try {
      for await (const message of run.stream()) {
        if (this.#over.signal.aborted) return;
        this.#tokens.read(message);
        this.#checkBudget();
      }
    } catch (error) {
      this.#ports.note(`the stream of a run broke: ${thrownError(error).message}`);
    }
  }

  #checkBudget(): void {
    const used = this.#tokens.total() ?? 0;
    const { tokensMax } = this.#request;
    if (used < tokensMax) return;
    this.#stop({ outcome: "budget", detail: `it used ${used} tokens, and the job had ${tokensMax} left` });
  }

  /** Late, and best effort. What a plan includes is told as 0, and so is what is not known yet: neither is a cost. */
  async #costOf(agent: SdkAgent): Promise<number | undefined> {
    const told = await this.#waits.politely(() => agent.getUsage());
    const cents = told?.cost?.chargedCents ?? 0;
    return Number.isFinite(cents) && cents > 0 ? cents / 100 : undefined;
  }

  async #letGo(agent: SdkAgent): Promise<void> {
    await this.#waits.politely(() => agent[Symbol.asyncDispose]());
  }

  #requireGoingOn(): void {
    if (this.#over.signal.aborted) throw new RunOver();
  }

  #fail(error: AgentError): RunOver {
    return this.#stop({ outcome: "failed", detail: sayAgentError("cursor", error) });
  }

  #stop(end: End): RunOver {
    if (this.#end === undefined) {
      this.#end = end;
      if (end.outcome === "failed") this.#ports.emit({ event: "error", message: end.detail });
      this.#over.abort();
    }
    return new RunOver();
  }

  #result(cost_usd: number | undefined): RunResult {
    const { turns, output } = this.#tools;
    const tokens_used = this.#tokens.total();
    const usage = { ...(tokens_used !== undefined && { tokens_used }), ...(cost_usd !== undefined && { cost_usd }) };
    const { outcome, detail } = this.#end ?? ENDS.no_submission;
    if (output === undefined) return { outcome, usage, turns, detail };
    // An accepted submission stands, whatever came after it; only a run that was cancelled is no success.
    if (this.#end?.outcome === "cancelled") return { outcome, output, usage, turns, detail };
    const after = this.#end === undefined ? "" : `; then ${this.#end.detail}`;
    return { outcome: "submitted", output, usage, turns, detail: `it submitted${after}` };
  }
}

const ENDS = {
  worked_past_submission: { outcome: "no_submission", detail: "it went on working, and was ended" },
  time: { outcome: "time", detail: "its time was over" },
  turns: { outcome: "turns", detail: "it used up its turns" },
  rejections: { outcome: "rejections", detail: "the last submission that it could make was rejected" },
  no_submission: { outcome: "no_submission", detail: "it ended without a submission, also after a reminder" },
} as const satisfies Record<StopReason, End>;

function laterBy({ pause }: RunTiming): (ms: number, act: () => void) => () => void {
  return (ms, act) => {
    const off = new AbortController();
    void pause(ms, ms, off.signal).then(() => {
      if (!off.signal.aborted) act();
    });
    return () => off.abort();
  };
}
