import { createRequire } from "node:module";
import { join } from "node:path";
import type { CursorSdk } from "./sdk.ts";

/** Not written where it is asked for: a bundler would take it in, and the SDK is neither ours to ship nor works in one file. */
const SDK = "@cursor/sdk";

export type LoadedSdk =
  | { readonly state: "loaded"; readonly version: string; readonly sdk: CursorSdk }
  | { readonly state: "failed"; readonly why: string };

/**
 * Loads the SDK from where it was provisioned, and from nowhere else. By `require`: what `import()` of its path gives has no
 * Agent in it.
 */
export function loadSdk(app: string): LoadedSdk {
  const require = createRequire(join(app, "package.json"));
  try {
    const sdk: unknown = require(SDK);
    const { version } = require(join(app, "node_modules", SDK, "package.json"));
    if (!isSdk(sdk)) return { state: "failed", why: "it has no Agent and no JsonlLocalAgentStore" };
    return { state: "loaded", version: String(version), sdk };
  } catch (error) {
    return { state: "failed", why: String(error).split("\n")[0] ?? "" };
  }
}

function isSdk(value: unknown): value is CursorSdk {
  const has = (name: string): boolean =>
    typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
  return has("Agent") && has("JsonlLocalAgentStore");
}
