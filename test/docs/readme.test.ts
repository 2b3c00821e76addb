import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { requireConfig } from "../../src/config/config.ts";
import { readmeText, readmeWalk } from "../support/readme-walk.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILT_CLI = join(ROOT, "dist/cli.cjs");
const TERMINAL_CLI = join(ROOT, "test/support/terminal-cli.ts");
const SECTION = "From `create` to WAKE";
const NEXT_STEP = "--- next step ---";

let scratch: string;
beforeAll(() => {
  scratch = tempDirectory();
});

/** Pastes the whole walk into one shell, where `npx harness-wake` runs `cli`; what each step printed. */
function paste(cli: string): string[] {
  const npx = join(scratch, "npx");
  writeFileSync(npx, `#!/bin/sh\n[ "$1" = harness-wake ] && shift && exec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(npx, 0o755);
  const script = readmeWalk(SECTION)
    .map(({ commands }) => commands)
    .join(`echo "${NEXT_STEP}"\n`);
  const { stdout, stderr, status } = spawnSync("sh", ["-e"], {
    input: script,
    encoding: "utf8",
    cwd: scratch,
    env: { ...process.env, PATH: `${scratch}:${process.env["PATH"]}`, TMPDIR: scratch, GIT_CONFIG_GLOBAL: "/dev/null" },
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split(`${NEXT_STEP}\n`);
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-11-30T12:00:00Z");
}

describe("the README's walk from create to WAKE", () => {
  it("prints on a terminal what the README shows", () => {
    const walk = readmeWalk(SECTION);
    expect(walk.map(({ commands }) => commands).join("")).toMatch(/npx harness-wake create.*npx harness-wake --tick/s);
    expect(walk.map(({ output }) => output).join("")).toContain("WAKE    RUNNABLE");
    expect(paste(TERMINAL_CLI).map(withoutTimes)).toEqual(walk.map(({ output }) => output));
  });

  it("prints through a pipe one JSON record a command", () => {
    const records = paste(BUILT_CLI).map((output) =>
      output
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
    expect(records.map((step) => step.map(({ ok, state }) => ({ ok, state })))).toEqual([
      [
        { ok: true, state: "CREATED" },
        { ok: true, state: "LISTED" },
      ],
      Array.from({ length: 3 }, () => ({ ok: true, state: "TICKED" })),
      [{ ok: true, state: "TICKED" }],
    ]);
    expect(records[1]?.[0].jobs[0]).toMatchObject({ action: "WAKE", attempt_id: "nightly-report-0001-a01" });
    expect(records[2]?.[0].jobs[0]).toMatchObject({ action: "STOP", reason: "DONE" });
  });
});

describe("the README names", () => {
  const readme = readmeText();
  const helpOf = (...verb: string[]): string =>
    execFileSync(process.execPath, [BUILT_CLI, ...verb, "--help"], { encoding: "utf8" });
  const verbs = [...(helpOf().split("Commands:\n")[1] ?? "").matchAll(/^ {2}([a-z]+) /gm)].map(([, verb = ""]) => verb);

  it("every verb", () => {
    expect(verbs).toContain("create");
    expect(verbs.filter((verb) => !readme.includes(`| \`${verb}`))).toEqual([]);
  });

  it("nothing twice, in tables whose rows fit their headers", () => {
    const rows = (readme.match(/^\| *`.*$/gm) ?? []).map((row) => row.replaceAll(/ +/g, " "));
    expect(rows.filter((row, at) => rows.indexOf(row) !== at)).toEqual([]);
    const cells = (row: string): number => row.replaceAll(/`[^`]*`/g, "").split("|").length;
    for (const table of readme.match(/(?:^\|.*\n)+/gm) ?? []) {
      expect(new Set(table.trimEnd().split("\n").map(cells)).size, table).toBe(1);
    }
  });

  it("every option of every verb", () => {
    const options = new Set(
      [[], ...verbs.map((verb) => [verb])].flatMap((verb) => helpOf(...verb).match(/--[a-z][a-z-]+/g) ?? []),
    );
    expect(options).toContain("--within");
    expect([...options].filter((option) => !readme.includes(option))).toEqual([]);
  });

  it("every environment variable", () => {
    const source = globSync("src/**/*.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
    const variables = new Set(source.join("\n").match(/"HARNESS_WAKE_[A-Z_]+"/g));
    expect(variables).toContain('"HARNESS_WAKE_JOBS_DIR"');
    // The README sums up, by their keys, those that change nothing yet.
    const said = (variable: string): boolean => readme.includes(variable) || readme.includes(`\`${keyOf(variable)}\``);
    expect([...variables].map((variable) => variable.slice(1, -1)).filter((variable) => !said(variable))).toEqual([]);
  });
});

/** `HARNESS_WAKE_NTFY_TOKEN_ENV` is the key `ntfy.token_env`. */
function keyOf(variable: string): string {
  return variable
    .slice("HARNESS_WAKE_".length)
    .toLowerCase()
    .replace(/^(ntfy|git)_/, "$1.");
}

it("every link inside the documentation leads to a file", () => {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "wake_jobs/README.md",
    "p/README.md",
    ...globSync("docs/*.md", { cwd: ROOT }),
  ];
  const links = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = ""]) => ({ page, to })),
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter(({ page, to }) => !existsSync(join(ROOT, page, "..", to)))).toEqual([]);
});

describe("the README's table of the configuration", () => {
  const [, section = ""] = /\n## Configuration\n([\s\S]*?)\n## /.exec(readmeText()) ?? [];
  const rows = section.split("\n").filter((line) => line.startsWith("|"));

  it("is one table, of keys that the config file takes", () => {
    const keys = rows.slice(2).flatMap((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? []);
    expect(section.match(/^\| -/gm)).toHaveLength(1);
    expect(keys).toContain("jobs_dir");
    for (const key of keys) {
      const [outer = "", inner] = key.split(".");
      // A number is no value of any key, so a key that is known is refused for its value and not for its name.
      const config = { [outer]: inner === undefined ? 0 : { [inner]: {} } };
      expect(() => requireConfig(config, "README")).toThrow(/^(?!.*unknown key)/);
    }
  });

  it("names every variable that the program reads", () => {
    const read = globSync(join(ROOT, "src/**/*.ts")).flatMap(
      (file) => readFileSync(file, "utf8").match(/(?<=env\[")HARNESS_WAKE_[A-Z_]+/g) ?? [],
    );
    for (const variable of new Set(read)) expect(rows.join("\n")).toContain(`\`${variable}\``);
  });
});
