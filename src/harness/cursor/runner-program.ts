import { join } from "node:path";
import { randomToken } from "../../facts/ids.ts";
import { JsonLines } from "../agents/json-lines.ts";
import type { RunEnd } from "../enclosure/run-enclosed.ts";
import type { AdapterHost, HarnessEvent, RunRequest, RunResult } from "../harness.ts";
import type { Program } from "../program.ts";
import type { CursorOptions } from "./cursor-options.ts";
import { hostVariables } from "./host-variables.ts";
import type { PackageFiles } from "./package-files.ts";
import type { RunTask } from "./runner-input.ts";
import { ownLine } from "./runner-line.ts";

/** What a run needs beside its request. */
export interface RunnerPlace {
  readonly host: Pick<AdapterHost, "env" | "node">;
  readonly files: PackageFiles;
  /** Where the SDK is. */
  readonly app: string;
  readonly key: string;
  readonly options: Required<CursorOptions>;
}

/** A run as a process to be started, and what it tells as it goes on. */
export interface RunnerProgram extends Pick<Program, "argv" | "env" | "stdin" | "mounts" | "secrets" | "onStdout"> {
  /** What was told so far. */
  usage(): RunResult["usage"];
  /** What it came to, once nothing of it is left; `lastLines` is the end of its standard error. */
  result(end: RunEnd, lastLines: string): RunResult;
}

/** The runner for one request. The key goes in on standard input, and nowhere else. */
export function runnerProgram(place: RunnerPlace, request: RunRequest, emit: (event: HarnessEvent) => void): RunnerProgram {
  const { host, files, app, key } = place;
  const task = taskOf(place, request);
  let result: RunResult | undefined;
  let last: { readonly turns: number; readonly tokens_used?: number } = { turns: 0 };
  const lines = new JsonLines((line) => {
    const own = ownLine(line, task.mark);
    if (own?.line === "result") {
      const { line: _line, mark: _mark, ...rest } = own;
      result = rest;
    }
    if (own?.line !== "event") return;
    if (own.event.event === "finish-step") last = own.event;
    emit(own.event);
  });
  const usage = (): RunResult["usage"] =>
    result?.usage ?? (last.tokens_used === undefined ? {} : { tokens_used: last.tokens_used });
  return {
    argv: [host.node.path, files.runner],
    env: hostVariables(host.env, { HOME: join(request.scratch, "sdk"), TMPDIR: join(request.scratch, "sdk") }),
    stdin: JSON.stringify(task),
    mounts: [files.readable, app].map((path) => ({ path, access: "read" })),
    secrets: [key],
    onStdout: (chunk) => lines.add(chunk),
    usage,
    result: (end, lastLines) => {
      lines.end();
      return result ?? { ...withoutResult(end, lastLines), usage: usage(), turns: last.turns };
    },
  };
}

function taskOf({ app, key, options }: RunnerPlace, request: RunRequest): RunTask {
  const { prompt, message, directory, mounts, scratch, authority, schema, limits, tokensMax } = request;
  const replaces = options.replaceSystemPrompt;
  return {
    task: "run",
    mark: randomToken(),
    app,
    key,
    model: options.model.id,
    ...(replaces && { system_prompt: prompt }),
    message: replaces ? message : `${prompt}\n\n${message}`,
    directory,
    scratch,
    writable: [directory, ...mounts.flatMap(({ path, access }) => (access === "write" ? [path] : []))],
    authority,
    schema,
    limits,
    tokens_max: tokensMax,
  };
}

function withoutResult(end: RunEnd, lastLines: string): Pick<RunResult, "outcome" | "detail"> {
  const complaint = lastLines === "" ? "" : `: ${lastLines}`;
  switch (end.state) {
    case "not_started":
      return { outcome: "failed", detail: `the runner could not be started: ${end.message}` };
    case "stopped":
      return { outcome: "cancelled", detail: `stopped: ${end.why}` };
    case "ended": {
      const how = end.exit_code === null ? `was ended by ${end.signal}` : `exited with ${end.exit_code}`;
      return { outcome: "failed", detail: `the runner ${how} without a result${complaint}` };
    }
  }
}
