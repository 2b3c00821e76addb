import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { randomToken } from "../../facts/ids.ts";
import type { EnvironmentVariables, OwnNode } from "../../facts/process-environment.ts";
import { JsonLines } from "../agents/json-lines.ts";
import { type EnclosureKind, PROTECTION } from "../enclosure/enclosure.ts";
import { LastLines } from "../enclosure/last-lines.ts";
import { runEnclosed } from "../enclosure/run-enclosed.ts";
import type { AdapterHost, SelfTest, SelfTestCheck } from "../harness.ts";
import { removeTree } from "../workspace/remove-tree.ts";
import { API_KEY } from "./api-key.ts";
import { appDirectory } from "./app.ts";
import { hostVariables } from "./host-variables.ts";
import type { PackageFiles } from "./package-files.ts";
import type { RunnerInput } from "./runner-input.ts";
import { ownLine, type RunnerLine } from "./runner-line.ts";
import { CURSOR_SDK_VERSION } from "./sdk-version.ts";

/** Loading the SDK takes a second; on a busy machine twenty. */
const TRIAL_MS_MAX = 60_000;

/** Whether a run could start here (contract §13), each check with what to do where it fails. */
export async function selfTest(host: AdapterHost, files: PackageFiles): Promise<SelfTest> {
  const app = appDirectory(host, files);
  const trial = existsSync(app) ? await tryRunner(host, files, app) : `it is not installed in ${app}`;
  const checks = [checkNode(host.node), ...checkSdk(trial), checkKey(host.env), checkSandbox(host.enclosure.kind, trial)];
  return { state: checks.every(({ ok }) => ok) ? "passed" : "failed", checks };
}

type Found = Extract<RunnerLine, { readonly line: "probe" }>;

/** What the runner found; or why it found nothing. */
type Trial = Found | string;

export function checkNode({ version }: Pick<OwnNode, "version">): SelfTestCheck {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const found = { name: "node", found: `Node ${version}` };
  // On an older one the SDK loads, and fails when an agent is made.
  if (major > 22 || (major === 22 && minor >= 13)) return { ...found, ok: true };
  return { ...found, ok: false, remedy: "run the worker on Node 22.13 or newer" };
}

export function checkSdk(trial: Trial): readonly SelfTestCheck[] {
  const sdk = typeof trial === "string" ? { why: trial } : trial.sdk;
  if ("why" in sdk) {
    const remedy = "let the worker install it: it does so at its start, where npm reaches its registry";
    return [{ name: "sdk", ok: false, found: `the Cursor SDK cannot be loaded: ${sdk.why}`, remedy }];
  }
  const loaded: SelfTestCheck = { name: "sdk", ok: true, found: "the Cursor SDK loads" };
  const version = { name: "version", found: `@cursor/sdk ${sdk.version}` };
  if (sdk.version === CURSOR_SDK_VERSION) return [loaded, { ...version, ok: true }];
  const remedy = `this harness-wake works with ${CURSOR_SDK_VERSION} alone: remove the directory "cursor" below --state-dir, and start the worker again`;
  return [loaded, { ...version, ok: false, remedy }];
}

export function checkKey(env: EnvironmentVariables): SelfTestCheck {
  const key = env[API_KEY];
  const remedy = `set ${API_KEY} for the worker, best to the key of a service account with a spend limit`;
  if (key === undefined || key.trim() === "") return { name: "key", ok: false, found: `${API_KEY} is not set`, remedy };
  if (/\s/.test(key)) return { name: "key", ok: false, found: `${API_KEY} has spaces or line ends in it`, remedy };
  return { name: "key", ok: true, found: `${API_KEY} is set` };
}

export function checkSandbox(kind: EnclosureKind, trial: Trial): SelfTestCheck {
  const { protectsFiles, hidesEnvironment, endsEverything } = PROTECTION[kind];
  const install = "install bubblewrap, and let this user make namespaces (docs/agents.md)";
  const failed = (found: string, remedy = install): SelfTestCheck => ({
    name: "sandbox",
    ok: false,
    found: `${kind}: ${found}`,
    remedy,
  });
  if (!protectsFiles) return failed("files are not protected, so that a run could change its own runtime");
  if (!hidesEnvironment) return failed(`a run could read this worker's environment, and ${API_KEY} in it`);
  if (!endsEverything) return failed("what a run starts may outlive it");
  if (typeof trial === "string") return failed("not tried, since the runner found nothing", "see to the Cursor SDK first");
  if (!PROTECTION[trial.inner].hidesEnvironment)
    return failed("what its shell runs could look into the run, and find the key there");
  if (trial.open.length > 0) return failed(`a run can write to ${trial.open.join(", ")}`);
  return { name: "sandbox", ok: true, found: `${kind}: a run writes to its workspace alone, and nothing of it outlives it` };
}

async function tryRunner(
  { env, node, clock, enclosure, stateDirectory }: AdapterHost,
  files: PackageFiles,
  app: string,
): Promise<Trial> {
  const scratch = mkdtempSync(join(stateDirectory, "self-test-"));
  const mark = randomToken();
  // Below /tmp a run has a directory of its own, which it may write.
  const closed = [app, files.readable, ...[env["HOME"] ?? ""].filter((home) => home !== "" && !home.startsWith("/tmp/"))];
  const input: RunnerInput = { task: "probe", mark, app, closed };
  let found: Found | undefined;
  const lines = new JsonLines((line) => {
    const own = ownLine(line, mark);
    if (own?.line === "probe") found ??= own;
  });
  const lastLines = new LastLines();
  const run = runEnclosed(enclosure, {
    argv: [node.path, files.runner],
    cwd: scratch,
    env: hostVariables(env, { HOME: scratch, TMPDIR: scratch }),
    stdin: JSON.stringify(input),
    mounts: [...[files.readable, app].map((path) => ({ path, access: "read" }) as const), { path: scratch, access: "write" }],
    onStdout: (chunk) => lines.add(chunk),
    onStderr: (chunk) => lastLines.add(chunk),
  });
  run.stopBy(clock.monotonic() + TRIAL_MS_MAX, "it took longer than a minute");
  const end = await run.ended;
  lines.end();
  removeTree(scratch);
  if (found !== undefined) return found;
  return `the runner found nothing (${JSON.stringify(end)}) ${lastLines.text([])}`.trimEnd();
}
