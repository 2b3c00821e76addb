import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ENCLOSURE_KINDS } from "../../src/harness/enclosure/enclosure.ts";
import type { HarnessAdapter, RunRequest } from "../../src/harness/harness.ts";
import { foldName, type HoldRule } from "../../src/job/hold.ts";
import { cursorHost } from "../support/cursor-host.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { tempDirectory } from "../support/temp-directory.ts";

/** What every adapter has to keep (contract §11), tried where its runtime is not installed. */
export function adapterSuite(adapter: HarnessAdapter): void {
  const request = (): RunRequest => ({
    prompt: "You are ours.",
    message: "Do it.",
    directory: tempDirectory(),
    mounts: [],
    scratch: tempDirectory(),
    authority: "read_only",
    limits: { turnsMax: 1, timeMsMax: 1_000, rejectionsMax: 1 },
    schema: { type: "object" },
    tokensMax: 1,
  });
  const noSecrets = Object.fromEntries(adapter.requiredSecrets.map((name) => [name, ""]));
  const hooks = { emit: () => expect.fail("nothing runs"), abortSignal: new AbortController().signal };

  describe(`the adapter ${adapter.harnessId}`, () => {
    test("says its name and the secrets that it needs before it has a host", () => {
      expect(adapter.harnessId).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(adapter.requiredSecrets.length).toBeGreaterThan(0);
      for (const name of adapter.requiredSecrets) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
    });

    test("answers every call with the hold that covers it, and does nothing", async () => {
      const hold: HoldRule = { name: "ADAPTER_HOLD", match: [foldName(adapter.harnessId)], note: "not now" };
      // Not even to read the environment is allowed.
      const env = new Proxy(
        {},
        { get: () => expect.fail("read a variable"), ownKeys: () => expect.fail("read the environment") },
      );
      const host = { ...(await cursorHost({ holds: [hold] })), env };
      const hosted = adapter.on(host);
      const held = { ok: true, state: "ADAPTER_HOLD", invoke_model: false, message: expect.stringContaining("not now") };
      expect(await hosted.provision()).toEqual(held);
      expect(await hosted.selfTest()).toEqual(held);
      expect(await hosted.run(request(), hooks)).toEqual(held);
      expect(readdirSync(host.stateDirectory)).toEqual([]);
    });

    test("refuses to run without its runtime, and without its secrets", async () => {
      for (const env of [{}, noSecrets]) {
        const host = await cursorHost({ env });
        expect((await jobErrorFrom(() => adapter.on(host).run(request(), hooks))).code).toBe("CONFIG");
      }
    });

    test.each(ENCLOSURE_KINDS)("has a remedy for each check that fails, on a host with the enclosure %s", async (kind) => {
      const host = await cursorHost({ env: noSecrets });
      const tested = await adapter.on({ ...host, enclosure: { ...host.enclosure, kind } }).selfTest();
      if (!("checks" in tested)) return expect.fail(tested.message);
      expect(tested.state).toBe("failed");
      for (const check of tested.checks) if (!check.ok) expect(check.remedy.length).toBeGreaterThan(10);
      // To look is to install nothing.
      expect(existsSync(`${host.stateDirectory}/cursor`)).toBe(false);
    });
  });
}
