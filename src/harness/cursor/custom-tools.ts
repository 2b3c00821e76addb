import type { RunTiming } from "../enclosure/run-enclosed.ts";
import type { HarnessEvent } from "../harness.ts";
import { failure, type Tool, type ToolResult } from "../tools/tool.ts";
import type { SdkJson, SdkTool, SdkToolResult } from "./sdk.ts";

/** A tool has a deadline of its own, below this. The SDK has none: one call that hangs would hang its turn for ever. */
const CALL_MS_MAX = 900_000;

/**
 * Tools that answer, whatever they do: at the latest after a quarter of an hour, or when their signal ends them. `called` is told
 * of each call's own end, which may come later than its answer: it settles when the tool has cleared up.
 */
export function boundedTools(
  tools: readonly Tool[],
  timing: RunTiming,
  called: (end: Promise<unknown>) => void,
): readonly Tool[] {
  return tools.map((tool) => ({ ...tool, call: (input, signal) => callWithin(tool, input, signal, timing, called) }));
}

/** Whoever does not answer in time is left behind; its signal tells it to end. */
async function callWithin(
  tool: Tool,
  input: unknown,
  signal: AbortSignal,
  { pause }: RunTiming,
  called: (end: Promise<unknown>) => void,
): Promise<ToolResult> {
  const [done, late] = [new AbortController(), new AbortController()];
  const tooLate = async (): Promise<ToolResult> => {
    await pause(CALL_MS_MAX, CALL_MS_MAX, AbortSignal.any([signal, done.signal]));
    late.abort();
    return failure(signal.aborted ? "the run is over: the call was ended" : `no answer within ${CALL_MS_MAX / 60_000} minutes`);
  };
  const calling = tool
    .call(input, AbortSignal.any([signal, late.signal]))
    .catch((error) => failure(`it failed: ${String(error)}`));
  called(calling);
  try {
    return await Promise.race([calling, tooLate()]);
  } finally {
    done.abort();
  }
}

export interface CallHooks {
  readonly timing: RunTiming;
  /** Ends every call. */
  readonly over: AbortSignal;
  readonly emit: (event: HarnessEvent) => void;
  /** Told when all calls of a batch are answered. */
  readonly turnEnded: () => void;
}

/** The tools as the SDK takes them. Each call is told of, and its failure reads as one. */
export function customTools(tools: readonly Tool[], hooks: CallHooks): Record<string, SdkTool> {
  const { timing, over, emit, turnEnded } = hooks;
  let [count, underWay] = [0, 0];
  const execute = async (tool: Tool, args: unknown): Promise<SdkToolResult> => {
    // The SDK's own id of a call may be missing.
    const call = { call_id: `call-${++count}`, tool: tool.name };
    const startedAtMs = timing.clock.monotonic();
    underWay++;
    emit({ event: "tool-call", ...call });
    const result = await tool.call(args, over);
    const duration_ms = Math.round(timing.clock.monotonic() - startedAtMs);
    emit({ event: "tool-result", ...call, ok: result.kind === "text", duration_ms });
    if (--underWay === 0) turnEnded();
    return forSdk(result);
  };
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        description: tool.description,
        inputSchema: tool.inputSchema as Record<string, SdkJson>,
        execute: (args: unknown) => execute(tool, args),
      },
    ]),
  );
}

function forSdk(result: ToolResult): SdkToolResult {
  const text = result.kind === "text" ? result.text : result.message;
  return { content: [{ type: "text", text }], isError: result.kind === "error" };
}
