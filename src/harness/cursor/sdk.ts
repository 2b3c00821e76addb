/**
 * What the adapter uses of @cursor/sdk. In our own words, since the package is not ours to ship and must not be needed to
 * check our types; a test holds the pinned package's own types to this.
 */
export interface CursorSdk<Store extends object = object> {
  readonly Agent: { create(options: SdkAgentOptions<Store>): Promise<SdkAgent> };
  readonly JsonlLocalAgentStore: new (directory: string) => Store;
}

export interface SdkAgentOptions<Store extends object = object> {
  readonly model: { readonly id: string };
  readonly apiKey: string;
  readonly tools: string[];
  readonly systemPrompt?: string;
  readonly local: {
    readonly cwd: string;
    readonly settingSources: [];
    readonly customTools: Record<string, SdkTool>;
    readonly store: Store;
    readonly enableAgentRetries: boolean;
  };
}

export interface SdkTool {
  readonly description: string;
  readonly inputSchema: Record<string, SdkJson>;
  execute(args: Record<string, SdkJson>, context: { readonly toolCallId?: string }): Promise<SdkToolResult>;
}

export type SdkJson = string | number | boolean | null | SdkJson[] | { [key: string]: SdkJson };

/** A failure has to say so: a plain string would read as success. */
export interface SdkToolResult {
  content: { type: "text"; text: string }[];
  isError: boolean;
}

export interface SdkAgent {
  send(text: string): Promise<SdkRun>;
  /** Late, and best effort. */
  getUsage(): Promise<{ readonly cost?: SdkCost }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SdkCost {
  /** 0 also for what a plan includes. */
  readonly chargedCents: number;
}

export interface SdkRun {
  stream(): AsyncIterable<SdkMessage>;
  wait(): Promise<SdkRunResult>;
  cancel(): Promise<void>;
}

/** One of many kinds; only usage is read. */
export interface SdkMessage {
  readonly type: string;
  readonly usage?: SdkUsage;
}

export interface SdkRunResult {
  readonly status: "finished" | "error" | "cancelled";
  readonly error?: { readonly message: string; readonly code?: string };
  readonly usage?: SdkUsage;
}

export interface SdkUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}
