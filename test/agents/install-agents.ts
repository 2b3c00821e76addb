import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import type { AgentPackage, CommandAgent } from "../../src/harness/agents/agent.ts";
import { claudeCode } from "../../src/harness/agents/claude-code.ts";
import { codex } from "../../src/harness/agents/codex.ts";

const run = promisify(execFile);

/** The command of an installed agent, or why there is none. */
export type InstalledAgent = { readonly command: string } | { readonly missing: string };

declare module "vitest" {
  export interface ProvidedContext {
    readonly claudeCode: InstalledAgent;
    readonly codex: InstalledAgent;
  }
}

/** Several hundred megabytes each, so they are kept between runs, outside the repository. */
const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "harness-wake", "agents");

const INSTALL_MS_MAX = 600_000;

/** Installs the agents where they are not yet, before any test runs. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("claudeCode", await installed(claudeCode));
  project.provide("codex", await installed(codex));
}

async function installed({ program, package: agent }: CommandAgent): Promise<InstalledAgent> {
  const home = join(CACHE, `${agent.name.replaceAll("/", "+")}@${agent.version}`);
  const command = join(home, "node_modules/.bin", program);
  try {
    if (!existsSync(command)) await install(agent, home);
    await run(command, ["--version"], { timeout: 60_000 });
    return { command };
  } catch (error) {
    // npm's own words follow the line that says how it was called.
    const why = String(error).split("\n").slice(0, 3).join(" ");
    const missing = `${agent.name}@${agent.version} could not be installed, so it was not tried: ${why}`;
    process.stderr.write(`${missing}\n`);
    return { missing };
  }
}

/** npm asks before it runs a package's script, so it is run by hand. Beside its place, and put there whole: a run that is stopped leaves no half of an agent behind. */
async function install({ name, version, installer }: AgentPackage, home: string): Promise<void> {
  await mkdir(dirname(home), { recursive: true });
  const fresh = await mkdtemp(`${home}.`);
  try {
    await writeFile(join(fresh, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }));
    const options = { cwd: fresh, timeout: INSTALL_MS_MAX };
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"], options);
    if (installer !== undefined) await run(process.execPath, [join(fresh, "node_modules", name, installer)], options);
    await rename(fresh, home).catch(async (error: unknown) => {
      // Another run was faster.
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
