import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cursor } from "../../src/harness/cursor/cursor.ts";
import { CURSOR_SDK_VERSION } from "../../src/harness/cursor/sdk-version.ts";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import { cursorHost } from "../support/cursor-host.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const adapter = cursor({ model: { id: "composer-2.5" } });

/** Where one provisioned directory serves several tests; a run's own /tmp hides it unless it is mounted. */
const state = tempDirectory();

test("the locked runtime is installed once, and the second time nothing is done", async () => {
  const hosted = adapter.on(await cursorHost({ stateDirectory: state }));
  const first = await hosted.provision();
  if (!("directory" in first)) throw new Error(first.message);
  expect(first).toMatchObject({ state: "installed", directory: expect.stringContaining(CURSOR_SDK_VERSION) });
  expect(readdirSync(join(state, "cursor"))).toHaveLength(1);
  expect(readdirSync(first.directory)).toEqual(["node_modules", "package-lock.json", "package.json"]);
  const made = statSync(first.directory, { bigint: true });
  expect(await hosted.provision()).toEqual({ state: "there", directory: first.directory });
  expect(statSync(first.directory, { bigint: true })).toMatchObject({ ino: made.ino, mtimeNs: made.mtimeNs });
});

test("the self-test passes twice, in the enclosure that a run gets", async ({ skip }) => {
  const host = await cursorHost({ stateDirectory: state });
  skip(host.enclosure.kind !== "bwrap");
  const hosted = adapter.on(host);
  for (const _ of [1, 2]) {
    expect(await hosted.selfTest()).toEqual({
      state: "passed",
      checks: ["node", "sdk", "version", "key", "sandbox"].map((name) => expect.objectContaining({ name, ok: true })),
    });
  }
  expect(readdirSync(state)).toEqual(["cursor"]);
});

test("without bubblewrap the self-test says what does not hold, and what helps", async () => {
  const hosted = adapter.on(await cursorHost({ stateDirectory: state, kinds: ["marks"] }));
  expect(await hosted.selfTest()).toMatchObject({
    state: "failed",
    checks: expect.arrayContaining([
      expect.objectContaining({ name: "sdk", ok: true }),
      expect.objectContaining({ name: "sandbox", ok: false, remedy: expect.stringContaining("install bubblewrap") }),
    ]),
  });
});

test("another version than the pin fails the self-test", async () => {
  const host = await cursorHost({ stateDirectory: state });
  const [name = ""] = readdirSync(join(state, "cursor"));
  const manifest = join(state, "cursor", name, "node_modules/@cursor/sdk/package.json");
  const text = readFileSync(manifest, "utf8");
  writeFileSync(manifest, text.replace(`"${CURSOR_SDK_VERSION}"`, '"9.9.9"'));
  try {
    const tested = await adapter.on(host).selfTest();
    expect(tested).toMatchObject({ state: "failed" });
    expect("checks" in tested && tested.checks).toContainEqual(
      expect.objectContaining({
        name: "version",
        ok: false,
        found: "@cursor/sdk 9.9.9",
        remedy: expect.stringContaining("remove"),
      }),
    );
  } finally {
    writeFileSync(manifest, text);
  }
});

test("under the hold nothing is provisioned and nothing tested", async () => {
  const host = await cursorHost({ holds: [CURSOR_QUOTA_HOLD] });
  const held = { ok: true, state: "CURSOR_QUOTA_HOLD", invoke_model: false, message: expect.any(String) };
  expect(await adapter.on(host).provision()).toEqual(held);
  expect(await adapter.on(host).selfTest()).toEqual(held);
  expect(readdirSync(host.stateDirectory)).toEqual([]);
});

test("a registry that cannot be reached leaves nothing behind, and is named as what it is", async () => {
  const host = await cursorHost({
    env: { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0", npm_config_offline: "false" },
  });
  await expect(adapter.on(host).provision()).rejects.toMatchObject({
    code: "IO",
    message: expect.stringMatching(/npm ci exited with 1[\s\S]*ECONNREFUSED[\s\S]*Let npm reach its registry/),
  });
  expect(readdirSync(join(host.stateDirectory, "cursor"))).toEqual([]);
});
