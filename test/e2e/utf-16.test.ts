// Windows PowerShell writes what it redirects as UTF-16 with a byte order mark.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freshRepository } from "../support/git-repository.ts";
import { jobDocument } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { runCli } from "../support/run-cli.ts";

const JOB = "harbor-utf-16-0001";

const ENCODINGS: readonly [string, (text: string) => Buffer][] = [
  ["little-endian", (text) => Buffer.from(`\uFEFF${text.replaceAll("\n", "\r\n")}`, "utf16le")],
  ["big-endian", (text) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
];

describe.each(ENCODINGS)("UTF-16, %s, is understood", (_, encode) => {
  const cwd = freshRepository();
  const file = (name: string, text: string): string => {
    writeFileSync(join(cwd, name), encode(text));
    return name;
  };

  it("in configs, job files, files that a call names, and on standard input", async () => {
    mkdirSync(join(cwd, "wake_jobs"));
    file("harness-wake.json", '{"jobs_dir": "wake_jobs"}');
    const job = `wake_jobs/${JOB}.json`;
    file(job, JSON.stringify(jobDocument(JOB, { objective: "Schiff ahoi, Kapitän", $schema: "x" }), null, 2));
    const run = async (args: readonly string[], stdin?: Buffer) => {
      const { json } = await runCli({ cwd, ...(stdin && { stdin }) }, ...args, "--worker-id", "w", "--now", atNoon(), "--json");
      return json;
    };
    expect(await run(["--tick"])).toMatchObject({ ok: true, wake_count: 1 });
    expect(readFileSync(join(cwd, job), "utf8")).toContain('"objective": "Schiff ahoi, Kapitän"');
    const claim = await run(["claim", "--job", JOB]);
    expect(claim).toMatchObject({ state: "CLAIMED" });
    const claimFile = file("claim.json", JSON.stringify(claim));
    expect(await run(["renew", claimFile])).toMatchObject({ state: "RENEWED" });
    expect(await run(["renew", "-"], encode(JSON.stringify(claim)))).toMatchObject({ state: "RENEWED" });
    const finish = ["finish", claimFile, "--checkpoint", file("checkpoint.json", '{"step": "schön"}')];
    expect(await run(finish)).toMatchObject({ state: "CHECKPOINT" });
    expect(JSON.parse(readFileSync(join(cwd, job), "utf8"))).toMatchObject({ checkpoint: { step: "schön" } });
  });
});

it("bytes that are no text are refused by name", async () => {
  const cwd = freshRepository();
  writeFileSync(join(cwd, "latin1.json"), Buffer.from('{"objective": "caf\xe9"}', "latin1"));
  const run = await runCli({ cwd }, "create", JOB, "--from", "latin1.json", "--within", "1d");
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("latin1.json: is not UTF-8");
});
