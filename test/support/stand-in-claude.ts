import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claudeCode } from "../../src/harness/agents/claude-code.ts";
import { tempDirectory } from "./temp-directory.ts";

/** What runs as `claude`: it asks the model once, does what a shell says, and closes as Claude Code does. */
const PROGRAM = `#!/usr/bin/env node
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
const prompt = readFileSync(0, "utf8");
const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = process.env;
const headers = { "content-type": "application/json", "x-api-key": ANTHROPIC_API_KEY, "anthropic-version": "2023-06-01" };
const body = JSON.stringify({ model: "stand-in", max_tokens: 100, messages: [{ role: "user", content: prompt }] });
const response = await fetch(ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers, body });
const answer = await response.json();
const { text } = answer.content[0];
execFileSync("sh", ["-ec", text], { stdio: "inherit" });
const session_id = process.argv[process.argv.indexOf("--session-id") + 1];
const say = (line) => console.log(JSON.stringify({ session_id, ...line }));
say({ type: "system", subtype: "init" });
say({ type: "result", subtype: "success", is_error: false, result: "done", num_turns: 1, usage: answer.usage });
`;

/** Like the real package: the program in its \`bin\` is put there by its own script. */
const INSTALLER = `require("fs").copyFileSync(__dirname + "/claude.mjs", __dirname + "/bin/claude.mjs");`;
const PLACEHOLDER = "#!/bin/sh\necho the program was not put in its place >&2\nexit 1\n";

/** The directory of a package that stands in for Claude Code's, in the version that it was tried with. */
export function standInClaude(): string {
  const directory = tempDirectory();
  const { name, version, installer = "" } = claudeCode.package;
  mkdirSync(join(directory, "bin"));
  const write = (path: string, text: string): void => writeFileSync(join(directory, path), text, { mode: 0o755 });
  write("package.json", JSON.stringify({ name, version, bin: { claude: "bin/claude.mjs" } }));
  write("claude.mjs", PROGRAM);
  write(installer, INSTALLER);
  write("bin/claude.mjs", PLACEHOLDER);
  return directory;
}

/** A directory for the search path with that program in it, as after an install by hand. */
export function binWithClaude(): string {
  const bin = tempDirectory();
  symlinkSync(join(standInClaude(), "claude.mjs"), join(bin, "claude"));
  return bin;
}
