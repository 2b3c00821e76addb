import type { AskedModel } from "./model-server-request.ts";

export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

/** What the model says or does. */
export type ModelTurn =
  | { readonly kind: "say"; readonly text: string; readonly stop?: "refusal" }
  /** Calls the tool of this name with this input. */
  | { readonly kind: "call"; readonly tool: string; readonly input: object }
  /** Runs a command with whatever shell tool the agent offers. */
  | { readonly kind: "shell"; readonly command: string };

/** An answer as the API gives it. */
export interface ModelAnswer {
  readonly kind: "answer";
  readonly turn: ModelTurn;
  /** Null for an API that tells none. */
  readonly usage?: ModelUsage | null;
  /** Packs it with gzip, though nobody asked for that. */
  readonly isPacked?: boolean;
  /** What happens to a stream when this many of its events are out. */
  readonly after?: { readonly events: number; readonly next: "cut" | "end" | "overloaded" | Promise<void> };
}

/** An answer in the form of one API: streamed, one string for each event, or as one body. */
export interface WireAnswer {
  readonly events: readonly string[];
  readonly body: object;
}

/** What the test server is told to do instead of answering as an API does. */
export type ModelFault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly code?: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Takes the request and never answers. */
  | { readonly kind: "hang" }
  | { readonly kind: "reset" }
  /** A proxy's page with status 200. */
  | { readonly kind: "html" }
  | { readonly kind: "redirect"; readonly to: string }
  /** Sends back what it was sent, headers and all, as an error. */
  | { readonly kind: "echo" };

/** What to answer to one request; `count` is how many came before it. */
export type ModelScript = (asked: AskedModel, count: number) => ModelAnswer | ModelFault;

export const USAGE: ModelUsage = { input: 1000, output: 20, cacheWrite: 50, cacheRead: 300 };

export function say(text: string, more: Partial<ModelAnswer> = {}): ModelAnswer {
  return { kind: "answer", turn: { kind: "say", text }, ...more };
}

export function shell(command: string, more: Partial<ModelAnswer> = {}): ModelAnswer {
  return { kind: "answer", turn: { kind: "shell", command }, ...more };
}

export function status(code: number, more: Partial<Extract<ModelFault, { kind: "status" }>> = {}): ModelFault {
  return { kind: "status", status: code, ...more };
}

/** One after another, the last one again and again. */
export function inTurn(...answers: readonly (ModelAnswer | ModelFault)[]): ModelScript {
  return (_, count) => answers[Math.min(count, answers.length - 1)] ?? say("nothing more");
}

/** As {@link inTurn}, but for agents: a call that offers no tool, as for a title, gets a text and takes no turn. */
export function forAgent(...answers: readonly (ModelAnswer | ModelFault)[]): ModelScript {
  let turns = 0;
  return (asked) => {
    if (asked.tools.length === 0) return say("a title");
    return answers[Math.min(turns++, answers.length - 1)] ?? say("nothing more");
  };
}
