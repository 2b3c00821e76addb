import { JobError } from "../../errors/job-error.ts";
import { later } from "../../facts/pause.ts";
import { z } from "../../json/zod.ts";
import { failure, type Tool, type ToolName, type ToolResult } from "./tool.ts";

interface ToolDefinition<Input> {
  readonly name: ToolName;
  readonly description: string;
  /** What the model gives; the descriptions in it are for the model. */
  readonly input: z.ZodMiniType<Input>;
  /** Milliseconds after which the signal ends the call. */
  readonly deadlineMs: (input: Input) => number;
  /** Throws JobError for what cannot be done; its message is then the result. */
  readonly act: (input: Input, signal: AbortSignal) => Promise<ToolResult>;
}

/** A tool whose input is checked before it acts, with a deadline, and whose failures are results. */
export function defineTool<Input>({ name, description, input: rule, deadlineMs, act }: ToolDefinition<Input>): Tool {
  return {
    name,
    description,
    inputSchema: JSON.parse(JSON.stringify(z.toJSONSchema(rule, { io: "input" }))),
    async call(given, signal) {
      const { success, data, error } = z.safeParse(rule, given);
      if (!success) {
        const [issue] = error.issues;
        return failure(`${name}: ${["the input", ...(issue?.path ?? [])].map(String).join(".")}: ${issue?.message}`);
      }
      const deadline = new AbortController();
      const callOff = later(deadlineMs(data), () => deadline.abort());
      try {
        return await act(data, AbortSignal.any([signal, deadline.signal]));
      } catch (cause) {
        // Whatever it is, the model must not take it for a success.
        return failure(`${name}: ${cause instanceof JobError ? cause.message : `failed: ${String(cause)}`}`);
      } finally {
        callOff();
      }
    },
  };
}
