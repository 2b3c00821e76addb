import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfigFile } from "../../src/config/config.ts";
import { jobErrorOf } from "../support/job-error-of.ts";
import { TempDirectory } from "../support/temp-directory.ts";

/** What a config file of these bytes says. */
function read(bytes: string | Buffer): ReturnType<typeof readConfigFile> {
  using directory = new TempDirectory();
  const path = join(directory.path, "harness-wake.json");
  writeFileSync(path, bytes);
  return readConfigFile(path);
}

const TEXT = '{\r\n  "$schema": "https://example.org/harness-wake.json",\r\n  "jobs_dir": "réveils"\r\n}\r\n';

test.each([
  ["UTF-8", Buffer.from(TEXT)],
  ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${TEXT}`)],
  ["UTF-16, as PowerShell redirects", Buffer.from(`\uFEFF${TEXT}`, "utf16le")],
  ["UTF-16 in the other byte order", Buffer.from(`\uFEFF${TEXT}`, "utf16le").swap16()],
])("a config is read from %s, and its $schema means nothing", (_, bytes) => {
  expect(read(bytes)).toEqual({ jobs_dir: "réveils" });
});

describe("a config that is none is refused by name", () => {
  test.each([
    ["no text", Buffer.from([0x7b, 0xff, 0x7d]), "is not UTF-8"],
    ["a key twice, as after a merge", '{\n"store": "git",\n"store": "file"\n}', "store stands twice, in lines 2 and 3"],
    [
      "a hold twice",
      '{"holds": {"A_HOLD": {"match": ["a"]}, "A_HOLD": {"match": ["b"]}}}',
      "holds.A_HOLD stands twice, in line 1",
    ],
    ["more than 1 MiB", " ".repeat(1024 * 1024 + 1), "1048577 bytes; at most 1048576 are read"],
    ["$schema where it does not belong", '{"git": {"$schema": "x"}}', "unknown key git.$schema"],
  ])("%s", (_, bytes, why) => {
    const error = jobErrorOf(() => read(bytes));
    expect(error.code).toBe("CONFIG");
    expect(error.message).toContain("harness-wake.json: ");
    expect(error.message).toContain(why);
  });

  test("a link, or a directory", () => {
    using directory = new TempDirectory();
    const [link, target, folder] = ["link.json", "target.json", "folder.json"].map((name) => join(directory.path, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(target, "{}");
    symlinkSync(target, link);
    mkdirSync(folder);
    for (const path of [link, folder]) expect(() => readConfigFile(path)).toThrow("is not a regular file");
  });
});

test.each(["docs", "v1", "a b", "", "a/b", "x".repeat(65)])(
  "an ntfy url ends in the name of a topic, and %j is none",
  (topic) => {
    const error = jobErrorOf(() => read(JSON.stringify({ ntfy: { urls: [`https://ntfy.sh/${topic}`] } })));
    expect(error).toMatchObject({ code: "CONFIG", field: "ntfy.urls.0" });
  },
);

test("ntfy.token_env names only a variable with NTFY in its name, so that a config can send no other secret", () => {
  for (const name of ["NTFY_TOKEN", "MY_NTFY_PASSWORD", "NTFY"]) {
    expect(read(JSON.stringify({ ntfy: { token_env: name } }))).toEqual({ ntfy: { token_env: name } });
  }
  for (const name of ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "ntfy", "PATH"]) {
    const error = jobErrorOf(() => read(JSON.stringify({ ntfy: { token_env: name } })));
    expect(error).toMatchObject({ code: "CONFIG", field: "ntfy.token_env" });
  }
});

test("what is wrong with a config is told without what it holds", () => {
  for (const text of ['{"a\\"": [SECRET]}', '{"a\\"": 123456789x}', '{"a\\"": "x" SECRET}', '{"urls": [SECRET]}']) {
    expect(jobErrorOf(() => read(text)).message).not.toMatch(/SECRET|12345/);
  }
});
