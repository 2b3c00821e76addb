import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import type { AgentPackage } from "../../src/harness/agents/agent.ts";
import { claudeCode } from "../../src/harness/agents/claude-code.ts";
import { codex } from "../../src/harness/agents/codex.ts";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import { git } from "../support/git.ts";
import { forAgent, say, shell } from "../support/model-server-answer.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { WorkflowWorld } from "../support/workflow-world.ts";

const JOB = "nightly-report-01";
const KEY = "sk-the-repository's-secret";
const PAGE = `mkdir -p p && echo "All quiet." > p/${JOB}.md && git add p && git commit -q -m page && git push -q origin HEAD:main`;

const agents = [
  { agent: claudeCode, name: "claude-code", installed: inject("claudeCode"), secret: "ANTHROPIC_API_KEY" },
  { agent: codex, name: "codex", installed: inject("codex"), secret: "OPENAI_API_KEY" },
] as const;

const canEnclose = await findEnclosure({ choice: "bwrap", env: process.env }).then(
  () => true,
  () => false,
);

/** The packages of an installed agent by name, a directory for each version: its own as it comes from npm, and its platform's. */
function packagesOf({ name }: AgentPackage, command: string): Readonly<Record<string, readonly string[]>> {
  const modules = realpathSync(command).replace(/\/node_modules\/.*$/, "/node_modules");
  const [scope = ""] = name.split("/");
  const own = tempDirectory();
  // What its installer put in place here is hundreds of megabytes, and is for the workflow to put there again.
  cpSync(join(modules, name), own, { recursive: true, filter: (path) => !path.endsWith("claude.exe") });
  if (name === claudeCode.package.name) writeFileSync(join(own, "bin/claude.exe"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const platforms = readdirSync(join(modules, scope)).filter((directory) => `${scope}/${directory}` !== name);
  const { optionalDependencies, ...manifest } = manifestIn(own);
  // Those of other machines are not here, and npm wants all that a package names.
  const here = Object.entries(optionalDependencies ?? {}).filter(([other]) => platforms.includes(other.slice(scope.length + 1)));
  writeFileSync(join(own, "package.json"), JSON.stringify({ ...manifest, optionalDependencies: Object.fromEntries(here) }));
  const packages: Record<string, string[]> = { [name]: [own] };
  for (const directory of platforms.map((platform) => join(modules, scope, platform))) {
    packages[manifestIn(directory).name] = [...(packages[manifestIn(directory).name] ?? []), directory];
  }
  return packages;
}

interface Manifest {
  readonly name: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function manifestIn(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
}

describe.each(agents)("the workflow of init --worker $name", ({ agent, name, installed, secret }) => {
  test.skipIf("missing" in installed || !canEnclose)("takes a job to DONE with the real agent", async () => {
    if ("missing" in installed) throw new Error(installed.missing);
    // Codex runs nothing in a home below /tmp.
    const home = mkdtempSync("/var/tmp/harness-wake-home-");
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    await using world = await WorkflowWorld.open(packagesOf(agent.package, installed.command), home);
    await world.setUp(name);
    await world.create(JOB, name);
    expect(await world.run("watch")).toMatchObject({ code: 0 });
    world.model.script = forAgent(shell(PAGE), say("The page is pushed."));
    const worked = await world.run("work", { [secret]: KEY });
    expect(worked.code, worked.output).toBe(0);
    expect(await world.shown(JOB)).toMatchObject({ status: "DONE", attempt_count: 1 });
    expect(git(world.remote, "show", `main:p/${JOB}.md`)).toBe("All quiet.");
    expect(worked.output).not.toContain(KEY);
  });
});
