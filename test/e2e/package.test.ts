import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packPackage } from "../support/packed-package.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ROOT = join(import.meta.dirname, "../..");
const RECORD_LOADS = join(ROOT, "test/support/record-loads.mjs");

/** An empty project that has the packed harness-wake in its node_modules, as `npm install` would leave it. */
let project: string;
let shipped: string[];

beforeAll(() => {
  project = tempDirectory();
  const installed = join(project, "node_modules/harness-wake");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", packPackage(), "-C", installed, "--strip-components=1"]);
  shipped = readdirSync(installed, { recursive: true, encoding: "utf8" });
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  for (const name of [...Object.keys(dependencies), "@types/node"]) link(name);
  writeFileSync(join(project, "package.json"), '{"type":"module","private":true}\n');
});

/** No registry is asked: what is installed here is the same. */
function link(name: string): void {
  const at = join(project, "node_modules", name);
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(realpathSync(join(ROOT, "node_modules", name)), at);
}

/** Runs a module in the project and reads the JSON that it prints. */
function evaluate(source: string): { readonly [key: string]: unknown } {
  const args = ["--import", RECORD_LOADS, "--input-type=module", "--eval", source];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: project, encoding: "utf8", timeout: 120_000 }));
}

/** What a process has loaded, and has under way, after importing one entry and nothing else. */
function afterImporting(entry: string): { loaded: string[]; names: string[]; underWay: string[] } {
  const found = evaluate(`
    // This alone opens a stdin or stderr that is a pipe, and that is not what is looked for here.
    await import("node:util");
    const before = process.getActiveResourcesInfo();
    const library = await import(${JSON.stringify(entry)});
    const underWay = process.getActiveResourcesInfo();
    console.log(JSON.stringify({ loaded: globalThis.loadedModules, names: Object.keys(library), before, underWay }));
  `);
  expect(found["underWay"]).toEqual(found["before"]);
  return found as ReturnType<typeof afterImporting>;
}

const HEAVY = /\/node_modules\/(?:commander|undici|simple-git|proper-lockfile)\//;

describe("the packed package", () => {
  it("ships what runs, its types and its documentation, and nothing else", () => {
    const strange = shipped.filter(
      (file) =>
        !/^(?:dist|docs|schema)(?:$|\/)|^cursor(?:$|\/package(?:-lock)?\.json$)|^(?:package\.json|(?:README|CHANGELOG|CONTRIBUTING)\.md|LICENSE)$/.test(
          file,
        ),
    );
    expect(strange).toEqual([]);
    expect(shipped.filter((file) => /\.(?:test|tsbuildinfo)\b|(?<!\.d)\.ts$/.test(file))).toEqual([]);
    expect(shipped).toEqual(expect.arrayContaining(["dist/cli.cjs", "dist/index.d.ts", "dist/callback/index.d.ts", "LICENSE"]));
    // The runtime of the Cursor adapter is named and locked, and none of it is shipped.
    expect(shipped).toEqual(
      expect.arrayContaining(["cursor/package.json", "cursor/package-lock.json", "dist/harness/cursor/runner.js"]),
    );
    // The command line ships as one file; its parts beside it would be dead weight.
    expect(shipped.filter((file) => file.startsWith("dist/cli/"))).toEqual([]);
  });

  it("is imported whole, and importing it starts nothing", () => {
    const before = readdirSync(project);
    const { names, loaded } = afterImporting("harness-wake");
    expect(names).toEqual(expect.arrayContaining(["openFleet", "runTick", "decide", "createJob", "FileJobStore", "JobError"]));
    expect(loaded.filter((url) => HEAVY.test(url))).toEqual([]);
    expect(readdirSync(project)).toEqual(before);
  });

  it("is imported by the part that a harness needs, which loads neither commander, undici nor simple-git", () => {
    const { names, loaded } = afterImporting("harness-wake/callback");
    expect(names).toContain("openFleet");
    expect(loaded.filter((url) => HEAVY.test(url))).toEqual([]);
    // The record is worth something: it holds what was loaded.
    expect(loaded).toContainEqual(expect.stringContaining("/harness-wake/dist/callback/index.js"));
    expect(loaded).toContainEqual(expect.stringContaining("/node_modules/zod/"));
  });

  it("records a module that is loaded late, so that the two tests above could fail", () => {
    const { loaded } = evaluate(`
      await import("proper-lockfile");
      console.log(JSON.stringify({ loaded: globalThis.loadedModules }));
    `);
    expect(loaded).toContainEqual(expect.stringMatching(HEAVY));
  });

  it("creates a job and wakes it through the library alone", () => {
    mkdirSync(join(project, "wake_jobs"), { recursive: true });
    const { created, rows } = evaluate(`
      import { openFleet, createJob, runTick } from "harness-wake";
      const fleet = await openFleet({ dir: process.cwd() });
      const fields = {
        job_id: "from-library-0001", owner_claim: "HARBOR", harness: "codex", objective: "Be woken",
        deadline: "2099-01-01T00:00:00Z", result_address: "",
      };
      const created = (await createJob(fleet, fields)).state;
      const { jobs } = await runTick(fleet, { workerId: "library" });
      console.log(JSON.stringify({ created, rows: jobs.map(({ action, attempt_id }) => ({ action, attempt_id })) }));
    `);
    expect(created).toBe("CREATED");
    expect(rows).toEqual([{ action: "WAKE", attempt_id: "from-library-0001-a01" }]);
  });

  it("has the Cursor adapter, which is held: it installs nothing, and importing it starts nothing", () => {
    expect(afterImporting("harness-wake/cursor").names).toEqual(expect.arrayContaining(["cursor", "thisHost"]));
    const stateDirectory = join(tempDirectory(), "state");
    const { secrets, provisioned, tested } = evaluate(`
      import { openFleet } from "harness-wake";
      import { cursor, thisHost } from "harness-wake/cursor";
      const adapter = cursor({ model: { id: "composer-2.5" } });
      const hosted = adapter.on(await thisHost(await openFleet(), { stateDirectory: ${JSON.stringify(stateDirectory)} }));
      const [provisioned, tested] = [await hosted.provision(), await hosted.selfTest()];
      console.log(JSON.stringify({ secrets: adapter.requiredSecrets, provisioned, tested }));
    `);
    expect(secrets).toEqual(["CURSOR_API_KEY"]);
    const held = { ok: true, state: "CURSOR_QUOTA_HOLD", invoke_model: false, message: expect.any(String) };
    expect({ provisioned, tested }).toEqual({ provisioned: held, tested: held });
    expect(readdirSync(stateDirectory)).toEqual([]);
  });

  it("has the JSON Schemas that job files and the config name", () => {
    const { type, required } = evaluate(`
      import schema from "harness-wake/schema/job.json" with { type: "json" };
      console.log(JSON.stringify(schema));
    `);
    expect([type, required]).toEqual(["object", expect.arrayContaining(["job_id", "deadline"])]);
  });

  it("runs as a command from where it is installed", () => {
    const output = execFileSync(process.execPath, [join(project, "node_modules/harness-wake/dist/cli.cjs"), "holds"], {
      cwd: project,
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toMatchObject({ ok: true, state: "HOLDS" });
  });

  it("has types for both entries, strict ones", () => {
    writeFileSync(
      join(project, "consumer.ts"),
      `import { type Fleet, openFleet as openCallbackFleet } from "harness-wake/callback";
       import { openFleet, runTick, type TickSummary, updateJob } from "harness-wake";
       const fleet: Fleet = await openCallbackFleet();
       export const summary: TickSummary = await runTick(await openFleet(), { workerId: "typed" });
       export const isOk: boolean = (await updateJob(fleet, "typed-job-0001", { objective: "typed" })).ok;
       // @ts-expect-error a worker must be named
       await runTick(fleet, {});
      `,
    );
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node", "consumer.ts"];
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    expect(execFileSync(process.execPath, [tsc, "--ignoreConfig", ...flags], { cwd: project, encoding: "utf8" })).toBe("");
  });
});
