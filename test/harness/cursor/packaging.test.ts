import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cursor } from "../../../src/harness/cursor/cursor.ts";
import { findPackageFiles } from "../../../src/harness/cursor/package-files.ts";
import { CURSOR_SDK_VERSION } from "../../../src/harness/cursor/sdk-version.ts";
import { isJsonObject, type JsonObject } from "../../../src/json/json.ts";
import { parseJson } from "../../../src/json/parse-json.ts";

const ROOT = join(import.meta.dirname, "../../..");

function read(path: string): JsonObject {
  const value = parseJson(readFileSync(join(ROOT, path), "utf8"));
  if (!isJsonObject(value)) throw new Error(`${path} is no object`);
  return value;
}

const locked = read("cursor/package-lock.json")["packages"] as Readonly<Record<string, JsonObject>>;

describe("the runtime of the Cursor adapter", () => {
  test("is pinned to one version, and all three pins agree", () => {
    expect(read("cursor/package.json")["dependencies"]).toEqual({ "@cursor/sdk": CURSOR_SDK_VERSION });
    expect(read("package.json")["devDependencies"]).toMatchObject({ "@cursor/sdk": CURSOR_SDK_VERSION });
    expect(locked["node_modules/@cursor/sdk"]).toMatchObject({ version: CURSOR_SDK_VERSION });
  });

  test("is locked whole: every package with its hash, those of all five platforms, and no script", () => {
    const packages = Object.entries(locked).filter(([path]) => path !== "");
    expect(packages.filter(([, { integrity }]) => !String(integrity).startsWith("sha512-"))).toEqual([]);
    expect(packages.filter(([, entry]) => entry["hasInstallScript"] === true)).toEqual([]);
    const platforms = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"];
    expect(Object.keys(locked)).toEqual(expect.arrayContaining(platforms.map((name) => `node_modules/@cursor/sdk-${name}`)));
  });

  test("is shipped as its manifest and its lockfile, and is no dependency of the package", () => {
    expect(read("package.json")["files"]).toContain("cursor");
    expect(JSON.stringify(read("package.json")["dependencies"])).not.toContain("cursor");
    expect(read("cursor/package.json")["private"]).toBe(true);
  });

  test("is found from the sources, from the library and from the command line's bundle", () => {
    const manifest = join(ROOT, "cursor/package.json");
    const found = ["src/harness/cursor", "dist/harness/cursor", "dist/parts"].map((from) => findPackageFiles(join(ROOT, from)));
    expect(found.map((files) => files.manifest)).toEqual([manifest, manifest, manifest]);
    expect(found.map(({ runner }) => runner.slice(ROOT.length + 1))).toEqual([
      "src/harness/cursor/runner.ts",
      "dist/harness/cursor/runner.js",
      "dist/harness/cursor/runner.js",
    ]);
    expect(() => findPackageFiles("/")).toThrow("is not whole here");
  });
});

test("the adapter declares its key", () => {
  const { harnessId, requiredSecrets } = cursor({ model: { id: "composer-2.5" } });
  expect({ harnessId, requiredSecrets }).toEqual({ harnessId: "cursor", requiredSecrets: ["CURSOR_API_KEY"] });
});
