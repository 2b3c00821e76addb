import { describe, expect, test } from "vitest";
import { CURSOR_SDK_VERSION } from "../../../src/harness/cursor/sdk-version.ts";
import { checkKey, checkNode, checkSandbox, checkSdk } from "../../../src/harness/cursor/self-test.ts";
import { ENCLOSURE_KINDS } from "../../../src/harness/enclosure/enclosure.ts";

const found = { line: "probe" as const, mark: "m", sdk: { version: CURSOR_SDK_VERSION }, open: [], inner: "bwrap" as const };

describe("the self-test", () => {
  test.each([
    ["22.13.0", true],
    ["24.1.0", true],
    ["22.12.9", false],
    ["20.20.2", false],
  ])("on Node %s says %s", (version, ok) => {
    expect(checkNode({ version })).toMatchObject({ ok, ...(!ok && { remedy: expect.stringContaining("22.13") }) });
  });

  test("wants the SDK to load, in the pinned version", () => {
    expect(checkSdk(found).map(({ ok }) => ok)).toEqual([true, true]);
    expect(checkSdk({ ...found, sdk: { version: "1.0.32" } })).toMatchObject([{ ok: true }, { ok: false, name: "version" }]);
    expect(checkSdk({ ...found, sdk: { why: "no such module" } })).toMatchObject([
      { ok: false, name: "sdk", found: expect.stringContaining("no such module"), remedy: expect.stringContaining("install") },
    ]);
  });

  test.each([undefined, "", "  ", "two words", "line\n"])("wants a key, which %j is not", (key) => {
    expect(checkKey({ CURSOR_API_KEY: key })).toMatchObject({ ok: false, remedy: expect.stringContaining("CURSOR_API_KEY") });
  });

  test("never tells the key", () => {
    expect(checkKey({ CURSOR_API_KEY: "key_0123456789" })).toEqual({ name: "key", ok: true, found: "CURSOR_API_KEY is set" });
  });

  test("wants a sandbox that protects files and the worker's environment", () => {
    expect(ENCLOSURE_KINDS.filter((kind) => checkSandbox(kind, found).ok)).toEqual(["bwrap"]);
    for (const kind of ENCLOSURE_KINDS.slice(1)) {
      expect(checkSandbox(kind, found)).toMatchObject({ remedy: expect.stringContaining("install bubblewrap") });
    }
  });

  test("believes no sandbox in which a run could write to its own runtime", () => {
    expect(checkSandbox("bwrap", { ...found, open: ["/app"] })).toMatchObject({
      ok: false,
      found: expect.stringContaining("/app"),
    });
    expect(checkSandbox("bwrap", { ...found, inner: "marks" })).toMatchObject({
      ok: false,
      found: expect.stringContaining("key"),
    });
    expect(checkSandbox("bwrap", "it did not start")).toMatchObject({ ok: false });
  });
});
