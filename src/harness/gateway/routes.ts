/** The calls that an agent may make. `count_tokens` runs no model and costs no tokens. */
export type Api = "messages" | "count_tokens" | "responses" | "chat";

const APIS: Readonly<Record<string, Api>> = {
  "/v1/messages": "messages",
  "/v1/messages/count_tokens": "count_tokens",
  "/v1/responses": "responses",
  "/v1/chat/completions": "chat",
};

export interface Route {
  readonly api: Api;
  /** Path and query, as they are appended to the API's address. */
  readonly path: string;
}

/** A query of printable ASCII without `#`; what else stands there no client sends, and undici would refuse. */
const QUERY = /^(?:\?[!"$-~]*)?$/;

/**
 * Where a request goes, or null where it goes nowhere. The path must be one of the API's own to the letter, so that a
 * target that names another host (`http://host/…`, `//host/…`), or steps out by `..`, is no route.
 */
export function routeOf(method: string, target: string): Route | null {
  const queryAt = target.indexOf("?");
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  if (method !== "POST" || !Object.hasOwn(APIS, path) || !QUERY.test(target.slice(path.length))) return null;
  const api = APIS[path];
  return api === undefined ? null : { api, path: target };
}
