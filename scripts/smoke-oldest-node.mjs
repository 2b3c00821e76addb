// Shows that `engines` is true: installs the packed package under the oldest Node that it promises, refusing what needs a
// newer one, and there wakes a job through a git remote, mails it, reads the mail and claims it. Asks the npm registry.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { startNtfyProcess } from "../test/support/ntfy-process.ts";

const ROOT = join(import.meta.dirname, "..");
const COMMAND_MS_MAX = 300_000;

const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const [, oldest] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? assert.fail(`engines.node is ${engines.node}, not like >=22.13`);

const work = mkdtempSync(join(tmpdir(), "harness-wake-smoke-"));
const ntfy = await startNtfyProcess();
try {
  const bin = installNode(`${oldest}.0`);
  const project = installPackage(bin);
  smoke(bin, project);
  process.stdout.write(`Node ${oldest}.0 installs, ticks, mails, reads mail and claims.\n`);
} finally {
  await ntfy.stop();
  rmSync(work, { recursive: true, force: true });
}

function run(command, args, options) {
  return execFileSync(command, args, { encoding: "utf8", timeout: COMMAND_MS_MAX, ...options });
}

/** Puts that Node into a directory of its own and gives the directory of its executable. */
function installNode(version) {
  const cwd = join(work, "node");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, allowScripts: { node: true } }));
  run("npm", ["install", "--no-audit", "--no-fund", `node@${version}`], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  const bin = join(cwd, "node_modules/node/bin");
  assert.equal(run(join(bin, "node"), ["--version"]).trim(), `v${version}`);
  return bin;
}

/** Installs what `npm publish` would send, as a user of that Node would. */
function installPackage(bin) {
  const cwd = join(work, "project");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const [{ filename }] = JSON.parse(
    run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", work], { cwd: ROOT }),
  );
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--engine-strict"];
  run("npm", ["install", ...flags, join(work, filename)], { cwd, env: withNode(bin), stdio: ["ignore", "ignore", "inherit"] });
  return cwd;
}

/** npm itself then runs under that Node too. */
function withNode(bin) {
  return { ...process.env, PATH: bin + delimiter + process.env.PATH };
}

function smoke(bin, project) {
  const identity = { GIT_AUTHOR_NAME: "smoke", GIT_AUTHOR_EMAIL: "smoke@example.org" };
  const committer = { GIT_COMMITTER_NAME: "smoke", GIT_COMMITTER_EMAIL: "smoke@example.org" };
  // No HOME, as in many containers and services.
  const env = { PATH: withNode(bin).PATH, TMPDIR: tmpdir(), GIT_CONFIG_NOSYSTEM: "1", ...identity, ...committer };
  const clone = join(work, "clone");
  const git = (...args) => run("git", args, { cwd: clone, env });
  run("git", ["init", "--quiet", "--bare", "--initial-branch=main", join(work, "remote.git")], { env });
  run("git", ["init", "--quiet", "--initial-branch=main", clone], { env });
  writeFileSync(join(clone, "harness-wake.json"), JSON.stringify({ store: "git", ntfy: { urls: [`${ntfy.url}/smoke`] } }));
  git("remote", "add", "origin", join(work, "remote.git"));
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
  git("push", "--quiet", "--set-upstream", "origin", "main");

  const cli = join(project, "node_modules/harness-wake/dist/cli.cjs");
  const wake = (...args) => JSON.parse(run("node", [cli, ...args, "--json"], { cwd: clone, env }));
  const job = ["smoke-job-0001", "--owner", "SMOKE", "--harness", "script", "--objective", "Be woken", "--within", "1d"];
  assert.equal(wake("create", ...job).state, "CREATED");
  const tick = wake("--tick", "--deliver", "--land");
  assert.deepEqual([tick.ok, tick.wake_count, tick.delivered_count], [true, 1, 1], JSON.stringify(tick));

  const reader = `
    import { openFleet } from "harness-wake";
    const fleet = await openFleet({ dir: ${JSON.stringify(clone)} });
    console.log(JSON.stringify(await fleet.openInbox().poll()));`;
  const [mail] = JSON.parse(run("node", ["--input-type=module", "--eval", reader], { cwd: project, env }));
  assert.equal(mail?.job_id, "smoke-job-0001");
  const claim = wake("claim", JSON.stringify(mail), "--worker-id", "smoke");
  assert.deepEqual([claim.state, claim.invoke_model], ["CLAIMED", true], JSON.stringify(claim));
}
