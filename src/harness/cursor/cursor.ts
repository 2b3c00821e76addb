import { existsSync } from "node:fs";
import { JobError } from "../../errors/job-error.ts";
import { rulesInForce } from "../../holds/holds.ts";
import { findHold } from "../../job/hold.ts";
import { concludeAgent } from "../conclude-agent.ts";
import { LastLines } from "../enclosure/last-lines.ts";
import { type RunEnd, runEnclosed } from "../enclosure/run-enclosed.ts";
import type { AdapterHost, HarnessAdapter, HeldAdapter, HostedAdapter, RunHooks, RunRequest, RunResult } from "../harness.ts";
import type { Conclusion, GivenAttempt, Program } from "../program.ts";
import { API_KEY } from "./api-key.ts";
import { appDirectory, provisionApp } from "./app.ts";
import { type AttemptChoice, attemptRequest } from "./attempt-request.ts";
import { type CursorOptions, requireCursorOptions } from "./cursor-options.ts";
import { findPackageFiles, type PackageFiles } from "./package-files.ts";
import { type RunnerPlace, runnerProgram } from "./runner-program.ts";
import { checkKey, selfTest } from "./self-test.ts";

/** As `work --adapter` and holds know it. */
export const CURSOR_ADAPTER = "cursor";

/**
 * The adapter for local Cursor agents (contract §13). It is held until the owner lifts the hold: then every call answers with
 * the hold, before it provisions, starts or reads anything. `choice` is for the attempts of a worker. Throws JobError CONFIG
 * for options that cannot be run.
 */
export function cursor(options: CursorOptions, choice: Partial<AttemptChoice> = {}): HarnessAdapter {
  const { model, replaceSystemPrompt = false } = requireCursorOptions(options);
  const { authority = "read_write", maxTurns } = choice;
  return {
    harnessId: CURSOR_ADAPTER,
    requiredSecrets: [API_KEY],
    on: (host) => onHost(host, { model, replaceSystemPrompt }, { authority, maxTurns }),
  };
}

function onHost(host: AdapterHost, options: Required<CursorOptions>, choice: AttemptChoice): HostedAdapter {
  const unlessHeld = async <T>(act: (files: PackageFiles) => Promise<T>): Promise<T | HeldAdapter> =>
    (await holdOver(host)) ?? act(findPackageFiles());
  return {
    provision: () => unlessHeld((files) => provisionApp(host, files)),
    selfTest: () => unlessHeld((files) => selfTest(host, files)),
    run: (request, hooks) => unlessHeld((files) => run(placeOf(host, files, options), request, hooks)),
    programFor: async (attempt) => {
      const program = await unlessHeld(async (files) => programOf(placeOf(host, files, options), choice, attempt));
      if ("argv" in program) return program;
      throw new JobError("CONFIG", `${program.state}: ${program.message}`);
    },
  };
}

async function holdOver({ fleet }: AdapterHost): Promise<HeldAdapter | undefined> {
  const hold = findHold(await rulesInForce(fleet), [CURSOR_ADAPTER]);
  if (hold === undefined) return undefined;
  const message = `${hold.name} covers the adapter ${CURSOR_ADAPTER}: ${hold.note}`;
  return { ok: true, state: hold.name, invoke_model: false, message };
}

interface Place extends RunnerPlace {
  readonly host: AdapterHost;
}

function placeOf(host: AdapterHost, files: PackageFiles, options: Required<CursorOptions>): Place {
  const app = appDirectory(host, files);
  if (!existsSync(app)) throw new JobError("CONFIG", `the Cursor SDK is not installed in ${app}; call provision first`);
  const check = checkKey(host.env);
  if (!check.ok) throw new JobError("CONFIG", `${check.found}; ${check.remedy}`);
  return { host, files, app, key: host.env[API_KEY] ?? "", options };
}

async function run(place: Place, request: RunRequest, { emit, abortSignal }: RunHooks): Promise<RunResult> {
  const { onStdout, result, secrets, ...program } = runnerProgram(place, request, emit);
  const lastLines = new LastLines();
  const enclosed = runEnclosed(place.host.enclosure, {
    ...program,
    cwd: request.directory,
    mounts: [
      ...program.mounts,
      ...request.mounts,
      { path: request.directory, access: "write" },
      { path: request.scratch, access: "write" },
    ],
    onStdout,
    onStderr: (chunk) => lastLines.add(chunk),
  });
  const { timeMsMax } = request.limits;
  enclosed.stopBy(place.host.clock.monotonic() + timeMsMax + OVERTIME_MS, "its time was over");
  const onAbort = (): void => enclosed.stop("it was told to end");
  if (abortSignal.aborted) onAbort();
  abortSignal.addEventListener("abort", onAbort, { once: true });
  const end = await enclosed.ended;
  abortSignal.removeEventListener("abort", onAbort);
  return result(end, lastLines.text(secrets));
}

/** The runner ends itself when its time is over, and needs a moment for it. */
const OVERTIME_MS = 15_000;

function programOf(place: Place, choice: AttemptChoice, attempt: GivenAttempt): Program {
  const { result, usage, ...program } = runnerProgram(
    place,
    attemptRequest(attempt, choice, place.host.clock.now()),
    () => undefined,
  );
  return {
    ...program,
    usage: () => {
      const { tokens_used, cost_usd } = usage();
      return {
        ...(tokens_used !== undefined && { tokensUsed: tokens_used }),
        ...(cost_usd !== undefined && { costUsd: cost_usd }),
      };
    },
    conclude: (end, lastLines) => conclusionOf(attempt, end, result(end, lastLines)),
    close: async () => undefined,
  };
}

/** What was submitted is checked like any outcome; a run that submitted nothing has come to nothing. */
function conclusionOf(attempt: GivenAttempt, end: RunEnd, { outcome, output, detail }: RunResult): Conclusion {
  if (outcome === "submitted" && output !== undefined) {
    return concludeAgent(CURSOR_ADAPTER, attempt, end, { state: "completed", answer: "", outcome: output }, { kind: "none" });
  }
  const stopped = end.state === "stopped" ? `stopped: ${end.why}. ` : "";
  return {
    kind: "failed",
    detail: `${stopped}${outcome === "failed" ? detail : `${CURSOR_ADAPTER} came to nothing (${outcome}): ${detail}`}`,
  };
}
