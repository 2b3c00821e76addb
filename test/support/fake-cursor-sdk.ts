import type {
  CursorSdk,
  SdkAgent,
  SdkAgentOptions,
  SdkMessage,
  SdkRun,
  SdkRunResult,
  SdkToolResult,
  SdkUsage,
} from "../../src/harness/cursor/sdk.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** What the model of a fake SDK does in one run, one after another. A run whose script ends without an `end` never ends. */
export type Act =
  /** Calls of one batch, side by side. */
  | { readonly do: "call"; readonly tools: readonly (readonly [name: string, args?: object])[] }
  | { readonly do: "usage"; readonly usage: SdkUsage }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "break_stream"; readonly error: Error }
  | ({ readonly do: "end" } & SdkRunResult)
  /** `wait()` rejects. */
  | { readonly do: "throw"; readonly error: Error };

export interface FakeScript {
  readonly create?: "hangs" | Error | { readonly afterMs: number };
  /** One list for each message. */
  readonly runs?: readonly (readonly Act[])[];
  readonly sendFails?: Error;
  /** The stream goes on after the result. */
  readonly streamNeverEnds?: boolean;
  readonly cancelHangs?: boolean;
  readonly usage?: { readonly cost?: { readonly chargedCents: number } } | Error | "hangs";
  readonly disposeHangs?: boolean;
}

export function usageOf(inputTokens: number, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0): SdkUsage {
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

export const FINISHED: Act = { do: "end", status: "finished" };

export function error(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** An SDK that plays a script, and keeps what was asked of it. */
export class FakeCursorSdk implements CursorSdk {
  created: SdkAgentOptions | undefined;
  readonly sent: string[] = [];
  readonly results: SdkToolResult[] = [];
  cancelled = 0;
  disposed = 0;
  store = "";
  readonly #script: FakeScript;
  readonly #time: SimulatedTime;
  #isRunning = false;

  constructor(time: SimulatedTime, script: FakeScript) {
    this.#time = time;
    this.#script = script;
  }

  readonly Agent = {
    create: async (options: SdkAgentOptions): Promise<SdkAgent> => {
      this.created = options;
      const { create } = this.#script;
      if (create instanceof Error) throw create;
      if (create === "hangs") return new Promise(() => undefined);
      if (create !== undefined) await this.#time.pause(create.afterMs, create.afterMs);
      return this.#agent(options);
    },
  };

  get JsonlLocalAgentStore(): new (
    directory: string,
  ) => object {
    const keep = (directory: string): void => {
      this.store = directory;
    };
    return class {
      constructor(directory: string) {
        keep(directory);
      }
    };
  }

  #agent(options: SdkAgentOptions): SdkAgent {
    return {
      send: async (text) => {
        this.sent.push(text);
        if (this.#script.sendFails !== undefined) throw this.#script.sendFails;
        if (this.#isRunning) throw error("UnknownAgentError", "a run is active");
        this.#isRunning = true;
        return this.#run(options, this.#script.runs?.[this.sent.length - 1] ?? [FINISHED]);
      },
      getUsage: async () => {
        const { usage = {} } = this.#script;
        if (usage instanceof Error) throw usage;
        return usage === "hangs" ? new Promise(() => undefined) : usage;
      },
      [Symbol.asyncDispose]: async () => {
        this.disposed++;
        if (this.#script.disposeHangs) await new Promise(() => undefined);
      },
    };
  }

  #run(options: SdkAgentOptions, acts: readonly Act[]): SdkRun {
    const messages: (SdkMessage | Error)[] = [];
    let more = Promise.withResolvers<void>();
    let isOver = false;
    const say = (message?: SdkMessage | Error): void => {
      if (message !== undefined) messages.push(message);
      more.resolve();
      more = Promise.withResolvers();
    };
    const result = Promise.withResolvers<SdkRunResult>();
    result.promise.catch(() => undefined);
    const end = (settle: () => void): void => {
      isOver = true;
      this.#isRunning = false;
      settle();
      say();
    };
    void this.#play(options, acts, say, (act) => end(() => (act.do === "end" ? result.resolve(act) : result.reject(act.error))));
    const goesOn = (): boolean => !isOver || this.#script.streamNeverEnds === true;
    return {
      wait: () => result.promise,
      cancel: async () => {
        this.cancelled++;
        if (this.#script.cancelHangs) await new Promise(() => undefined);
        if (!isOver) end(() => result.resolve({ status: "cancelled" }));
      },
      async *stream() {
        for (let at = 0; ; ) {
          const message = messages[at];
          if (message instanceof Error) throw message;
          if (message !== undefined) {
            at++;
            yield message;
          } else if (goesOn()) await more.promise;
          else return;
        }
      },
    };
  }

  async #play(
    { local: { customTools } }: SdkAgentOptions,
    acts: readonly Act[],
    say: (message: SdkMessage | Error) => void,
    end: (act: Extract<Act, { readonly do: "end" | "throw" }>) => void,
  ): Promise<void> {
    for (const act of acts) {
      switch (act.do) {
        case "call":
          this.results.push(
            ...(await Promise.all(
              act.tools.map(([name, args = {}]) => customTools[name]?.execute(args as Record<string, never>, {}) ?? noTool(name)),
            )),
          );
          break;
        case "usage":
          say({ type: "usage", usage: act.usage });
          break;
        case "wait":
          await this.#time.pause(act.ms, act.ms);
          break;
        case "break_stream":
          say(act.error);
          break;
        case "end":
        case "throw":
          return end(act);
      }
    }
  }
}

function noTool(name: string): SdkToolResult {
  return { content: [{ type: "text", text: `no ${name}` }], isError: true };
}
