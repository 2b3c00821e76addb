import type { IncomingHttpHeaders } from "node:http";

export type ModelApi = "messages" | "count_tokens" | "responses" | "chat";

const APIS: Readonly<Record<string, ModelApi>> = {
  "/v1/messages": "messages",
  "/v1/messages/count_tokens": "count_tokens",
  "/v1/responses": "responses",
  "/v1/chat/completions": "chat",
};

/** A request as the model server saw it. */
export interface AskedModel {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Undefined for a path of no API. */
  readonly api: ModelApi | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** `model` of the body. */
  readonly model: string;
  readonly isStreamed: boolean;
  readonly includesUsage: boolean;
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
}

/** Takes a request apart. A body that is no JSON asks for nothing. */
export function askedModel(method: string, path: string, headers: IncomingHttpHeaders, body: string): AskedModel {
  const request = parsed(body);
  return {
    method,
    path,
    api: method === "POST" ? APIS[path.split("?")[0] ?? ""] : undefined,
    headers,
    body,
    model: typeof request["model"] === "string" ? request["model"] : "",
    isStreamed: request["stream"] === true,
    includesUsage: (request["stream_options"] as Fields | undefined)?.["include_usage"] === true,
    tools: [...list(request["tools"]), ...codeModeTools(request["input"])].map(toolName),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(body: string): Fields {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value : [];
}

/** Codex offers the tools of some models in an item of the input, in groups or one by one. */
function codeModeTools(input: unknown): readonly Fields[] {
  const items = list(input).filter((item) => item["type"] === "additional_tools");
  return items.flatMap((item) =>
    list(item["tools"]).flatMap((tool) => (Array.isArray(tool["tools"]) ? list(tool["tools"]) : tool)),
  );
}

function toolName(tool: Fields): string {
  const { name, type } = (tool["function"] ?? tool) as Fields;
  return String(name ?? type ?? "");
}
