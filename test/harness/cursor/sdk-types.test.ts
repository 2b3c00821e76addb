import type * as pinned from "@cursor/sdk";
import { expect, test } from "vitest";
import type { CursorSdk } from "../../../src/harness/cursor/sdk.ts";

test("the pinned SDK is what the adapter takes it for", () => {
  // Checked by the compiler: the package itself is not loaded.
  const asTaken = (sdk: typeof pinned): CursorSdk<pinned.LocalAgentStore> => sdk;
  expect(asTaken).toBeTypeOf("function");
});
