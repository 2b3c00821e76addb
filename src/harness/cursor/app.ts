import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, ioError } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import { randomToken } from "../../facts/ids.ts";
import { sha256Of, shortFingerprint } from "../../json/fingerprint.ts";
import { findProgram } from "../enclosure/find-program.ts";
import { LastLines } from "../enclosure/last-lines.ts";
import { type RunEnd, runEnclosed } from "../enclosure/run-enclosed.ts";
import type { AdapterHost, Provisioned } from "../harness.ts";
import { removeTree } from "../workspace/remove-tree.ts";
import { hostVariables } from "./host-variables.ts";
import type { PackageFiles } from "./package-files.ts";
import { CURSOR_SDK_VERSION } from "./sdk-version.ts";

/** Some 55 MB; a slow line takes minutes. */
const INSTALL_MS_MAX = 600_000;

type Host = Pick<AdapterHost, "env" | "clock" | "enclosure" | "stateDirectory">;

/** Where the SDK is installed: another lockfile, another place. Nothing but {@link provisionApp} writes there. */
export function appDirectory({ stateDirectory }: Pick<Host, "stateDirectory">, { lockfile }: PackageFiles): string {
  const locked = shortFingerprint(sha256Of(readFileSync(lockfile, "utf8")));
  return join(stateDirectory, "cursor", `sdk-${CURSOR_SDK_VERSION}-${locked}`);
}

/**
 * Installs the SDK as the lockfile says, with no script of any package run. It is made beside its place and put there whole,
 * so what stands there is complete, and a second call does nothing. Throws JobError: CONFIG without npm, IO where npm fails.
 */
export async function provisionApp(host: Host, files: PackageFiles): Promise<Provisioned> {
  const directory = appDirectory(host, files);
  if (existsSync(directory)) return { state: "there", directory };
  removeAbandoned(host);
  const fresh = `${directory}${FRESH}${randomToken()}`;
  try {
    mkdirSync(join(fresh, CACHE), { recursive: true, mode: 0o700 });
    copyFileSync(files.manifest, join(fresh, "package.json"));
    copyFileSync(files.lockfile, join(fresh, "package-lock.json"));
    await install(host, fresh);
    removeTree(join(fresh, CACHE));
    return putInPlace(fresh, directory);
  } catch (cause) {
    throw errnoOf(cause) === undefined ? cause : ioError(fresh, cause);
  } finally {
    removeTree(fresh);
  }
}

const FRESH = ".fresh-";
/** What npm keeps for itself while it works. */
const CACHE = ".npm";

function putInPlace(fresh: string, directory: string): Provisioned {
  try {
    renameSync(fresh, directory);
    return { state: "installed", directory };
  } catch (error) {
    // Another worker of this host was faster.
    if (existsSync(directory)) return { state: "there", directory };
    throw error;
  }
}

/** What a worker left that was killed while it installed. */
function removeAbandoned({ stateDirectory, clock }: Host): void {
  const parent = join(stateDirectory, "cursor");
  const names = existsSync(parent) ? readdirSync(parent).filter((name) => name.includes(FRESH)) : [];
  for (const path of names.map((name) => join(parent, name))) {
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (madeAt < clock.now() * 1000 - 2 * INSTALL_MS_MAX) removeTree(path);
  }
}

async function install({ env, clock, enclosure }: Host, fresh: string): Promise<void> {
  const npm = findProgram("npm", env["PATH"]);
  if (npm === undefined)
    throw new JobError("CONFIG", "there is no npm in PATH, which installs the Cursor SDK; install Node with npm");
  const cache = join(fresh, CACHE);
  const lastLines = new LastLines();
  const run = runEnclosed(enclosure, {
    argv: [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--logs-max=0", "--cache", cache],
    cwd: fresh,
    env: hostVariables(env, { ...npmsOwn(env), TMPDIR: cache }),
    stdin: "",
    mounts: [{ path: fresh, access: "write" }],
    onStdout: () => undefined,
    onStderr: (chunk) => lastLines.add(chunk),
  });
  run.stopBy(clock.monotonic() + INSTALL_MS_MAX, `it took longer than ${INSTALL_MS_MAX / 60_000} minutes`);
  const end = await run.ended;
  if (end.state === "ended" && end.exit_code === 0) return;
  const said = lastLines.text([]);
  const message = `the Cursor SDK could not be installed: npm ci ${sayEnd(end)}${said === "" ? "" : `: ${said}`}. Let npm reach its registry, and start again`;
  throw new JobError("IO", message);
}

/** Which registry it asks, and how, is its user's to say. */
function npmsOwn(env: Host["env"]): Readonly<Record<string, string>> {
  const own = Object.entries(env).filter(([name]) => name === "HOME" || /^npm_config_/i.test(name));
  return Object.fromEntries(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function sayEnd(end: RunEnd): string {
  switch (end.state) {
    case "not_started":
      return `could not be started: ${end.message}`;
    case "stopped":
      return `was stopped: ${end.why}`;
    case "ended":
      return end.exit_code === null ? `was ended by ${end.signal}` : `exited with ${end.exit_code}`;
  }
}
