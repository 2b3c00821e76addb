import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../facts/clock.ts";
import { pauseBetween } from "../../facts/pause.ts";
import { environmentVariables } from "../../facts/process-environment.ts";
import { catchStopSignals } from "../../facts/stop-signals.ts";
import { findEnclosure } from "../enclosure/find-enclosure.ts";
import type { RunResult } from "../harness.ts";
import { openTools } from "../tools/open-tools.ts";
import { shellVariables } from "./host-variables.ts";
import { loadSdk } from "./load-sdk.ts";
import { runAgent } from "./run-agent.ts";
import type { RunTask } from "./runner-input.ts";
import type { RunnerLine } from "./runner-line.ts";
import type { CursorSdk } from "./sdk.ts";
import { CURSOR_SDK_VERSION } from "./sdk-version.ts";
import { submittable } from "./submittable.ts";

/** A run, inside the process that was started for it. Never rejects for what the SDK does. */
export async function runTask(
  task: RunTask,
  tell: (line: RunnerLine) => void,
  note: (message: string) => void,
): Promise<RunnerLine> {
  const { mark } = task;
  // What the SDK keeps is not the shell's to write.
  const [home, store] = [join(task.scratch, "home"), join(task.scratch, "sdk", "store")];
  for (const directory of [home, store]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".gitconfig"), GIT_CONFIG);
  const sdk = pinnedSdk(task.app);
  if (typeof sdk === "string") return { line: "result", mark, ...failed(sdk) };
  // The SDK takes a workspace that is not there without a word.
  if (statSync(task.directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return { line: "result", mark, ...failed(`there is no workspace ${task.directory}`) };
  }
  const env = environmentVariables();
  const tools = openTools({
    workspace: task.directory,
    authority: task.authority,
    // One of its own: what the shell runs must not look into this process, which holds the key.
    enclosure: await findEnclosure({ choice: "auto", env, isInner: true }),
    env: shellVariables(env, home),
    mounts: [...task.writable, home].map((path) => ({ path, access: "write" })),
  });
  const result = await runAgent(
    {
      model: task.model,
      apiKey: task.key,
      ...(task.system_prompt !== undefined && { systemPrompt: task.system_prompt }),
      message: task.message,
      directory: task.directory,
      store,
      limits: task.limits,
      ...submittable(task.schema),
      tokensMax: task.tokens_max,
    },
    {
      sdk,
      tools,
      timing: { clock: systemClock, pause: pauseBetween },
      emit: (event) => tell({ line: "event", mark, event }),
      note,
      signal: catchStopSignals().stopping,
    },
  );
  return { line: "result", mark, ...result };
}

/** A home of its own has no name in it to commit by; the repository's own settings go over this one. */
const GIT_CONFIG = "[user]\n\tname = Cursor agent\n\temail = cursor-agent@harness-wake.invalid\n";

function pinnedSdk(app: string): CursorSdk | string {
  const loaded = loadSdk(app);
  if (loaded.state === "failed") return `the Cursor SDK cannot be loaded: ${loaded.why}`;
  if (loaded.version === CURSOR_SDK_VERSION) return loaded.sdk;
  return `the Cursor SDK in ${app} is ${loaded.version}, and not ${CURSOR_SDK_VERSION}: it is not what was locked`;
}

function failed(detail: string): RunResult {
  return { outcome: "failed", usage: {}, turns: 0, detail };
}
