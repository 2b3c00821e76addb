import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { Option } from "commander";
import type { OpenWorkerOptions } from "../compose-worker.ts";
import { JobError } from "../errors/job-error.ts";
import { catchStopSignals } from "../facts/stop-signals.ts";
import { ADAPTER_NAMES } from "../harness/adapter-names.ts";
import { KNOWN_AGENT_NAMES } from "../harness/agents/agent-names.ts";
import { ENCLOSURE_CHOICES, type EnclosureChoice } from "../harness/enclosure/enclosure.ts";
import type { WorkerSummary } from "../harness/worker/worker.ts";
import type { WorkerEvent } from "../harness/worker/worker-event.ts";
import type { Environment } from "./environment.ts";
import { withExample } from "./example.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { type FleetOptions, type LandOptions, openFleetToWrite, withFleetOptions, withLand } from "./fleet-options.ts";
import { requireAmount, requireDuration, requireInteger } from "./option-value.ts";
import { printable } from "./printable.ts";
import type { Cli } from "./verb.ts";
import { type WorkerFlags, withWorkerId, workerIdFrom } from "./worker-id.ts";

interface WorkFlags extends FleetOptions, LandOptions, WorkerFlags {
  readonly harness: string;
  readonly exec?: string;
  readonly agent?: string;
  readonly adapter?: string;
  readonly readOnly?: boolean;
  readonly replaceSystemPrompt?: boolean;
  readonly model?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly once?: boolean;
  readonly concurrency: number;
  readonly timeLimit: number;
  readonly look: number;
  readonly grace: number;
  readonly workspace: "worktree" | "here";
  readonly enclosure: EnclosureChoice;
  readonly env: readonly string[];
  readonly stateDir?: string;
}

export function addWorkVerb({ program, environment, report, isForPeople }: Cli): void {
  const verb = program
    .command("work")
    .description("take the attempts of a harness and run a command for each, until it is told to stop")
    .requiredOption("--harness <name>", "the harness whose jobs it takes")
    .option("--exec <command>", "a line for a shell, run once for each attempt")
    .option("--agent <name>", `an agent that it knows: ${KNOWN_AGENT_NAMES.join(", ")}`)
    .option("--adapter <name>", `an agent that is a library: ${ADAPTER_NAMES.join(", ")}`)
    .option("--read-only", "an adapter's agent may look, and change nothing")
    .option("--replace-system-prompt", "an adapter's agent gets our system prompt in the place of its own")
    .option("--model <name>", "the agent's model (default: the agent's own)")
    .option("--max-turns <n>", "how many turns one run of the agent may take", requireInteger)
    .option("--max-budget-usd <amount>", "what one run of the agent may cost, where the agent knows", requireAmount)
    .option("--once", "take what is offered now, and end when nothing is left")
    .option("--concurrency <n>", "how many attempts at once", requireInteger, 1)
    .option("--time-limit <duration>", "how long one run may take (default: 1h)", requireDuration, 3600)
    .option("--look <duration>", "how often to look at the store; mail makes it look at once (default: 60s)", requireDuration, 60)
    .option("--grace <duration>", "how long runs may go on after the worker was told to stop (default: 30s)", requireDuration, 30)
    .addOption(
      new Option("--workspace <kind>", "a fresh worktree for each run, or the checkout itself")
        .choices(["worktree", "here"])
        .default("worktree"),
    )
    .addOption(new Option("--enclosure <kind>", "what closes runs in").choices(ENCLOSURE_CHOICES).default("auto"))
    .option(
      "--env <name>",
      "a variable that runs get too; may be repeated",
      (name: string, before: readonly string[]) => [...before, name],
      [],
    )
    .option("--state-dir <dir>", "where it keeps outcomes, logs and worktrees (default: ~/.local/state/harness-wake)");
  withExample(verb, `harness-wake work --harness script --exec 'cat "$HARNESS_WAKE_PROMPT_FILE"' --once`);
  withLand(withFleetOptions(withWorkerId(verb, "who works"))).action(async (flags: WorkFlags) => {
    const { openWorker } = await import("../compose-worker.ts");
    const signals = catchStopSignals();
    try {
      // It tells of its runs itself, for hours.
      const { onProgress: _, ...quiet } = environment;
      const fleet = await openFleetToWrite(flags, quiet);
      const worker = await openWorker(fleet, optionsFrom(flags, environment, signals, isForPeople));
      const summary = await worker.run();
      report({
        record: recordOf(summary),
        text: () => sayEnd(summary),
        exit: exitOf(summary),
      });
    } finally {
      signals.release();
    }
  });
}

type Signals = Pick<OpenWorkerOptions, "stopping" | "stoppingAtOnce">;

function optionsFrom(flags: WorkFlags, environment: Environment, signals: Signals, isForPeople: boolean): OpenWorkerOptions {
  if (flags.concurrency < 1) throw new JobError("USAGE", "--concurrency must be at least 1", { field: "concurrency" });
  return {
    harness: flags.harness,
    workerId: workerIdFrom(flags, environment),
    runs: runsFrom(flags),
    workspace: flags.workspace,
    enclosure: flags.enclosure,
    once: flags.once ?? false,
    concurrency: flags.concurrency,
    timeLimitMs: flags.timeLimit * 1000,
    lookEveryMs: flags.look * 1000,
    graceMs: flags.grace * 1000,
    passedVariables: flags.env,
    stateDirectory: stateDirectory(flags, environment),
    env: environment.env,
    tell: (event) => environment.out(isForPeople ? `${printable(sayEvent(event))}\n` : `${JSON.stringify(event)}\n`),
    stopping: signals.stopping,
    stoppingAtOnce: signals.stoppingAtOnce,
  };
}

function runsFrom(flags: WorkFlags): OpenWorkerOptions["runs"] {
  const { exec, agent, adapter, model, maxTurns, maxBudgetUsd, readOnly, replaceSystemPrompt, env } = flags;
  const [only, ...others] = [exec, agent, adapter].filter((one) => one !== undefined);
  if (only === undefined || others.length > 0) {
    const message = 'run what? Give one of --exec "command", --agent <name> and --adapter <name>';
    throw new JobError("USAGE", message, { field: "exec" });
  }
  if (adapter === undefined && (readOnly || replaceSystemPrompt)) {
    throw new JobError("USAGE", "--read-only and --replace-system-prompt are for --adapter alone", { field: "adapter" });
  }
  const unheeded = [
    ["--model", model, exec !== undefined],
    ["--max-turns", maxTurns, exec !== undefined],
    ["--max-budget-usd", maxBudgetUsd, agent === undefined],
  ] as const;
  for (const [option, value, isUnheeded] of unheeded) {
    if (value === undefined || !isUnheeded) continue;
    throw new JobError("USAGE", `${option} is not for ${adapter === undefined ? "--exec" : "--adapter"}`, {
      field: option.slice(2),
    });
  }
  if (adapter !== undefined && env.length > 0) {
    throw new JobError("USAGE", "--env is not for --adapter: its runs get nothing of the worker's environment", { field: "env" });
  }
  if (adapter !== undefined) {
    const [isReadOnly, replaces] = [readOnly ?? false, replaceSystemPrompt ?? false];
    return { kind: "adapter", name: adapter, model, maxTurns, isReadOnly, replaceSystemPrompt: replaces };
  }
  if (agent !== undefined) return { kind: "agent", name: agent, model, maxTurns, budgetUsd: maxBudgetUsd };
  return { kind: "command", command: only };
}

function stateDirectory({ stateDir }: WorkFlags, { cwd, env }: Environment): string {
  if (stateDir !== undefined) return resolve(cwd, stateDir);
  const parent = env["XDG_STATE_HOME"] || join(env["HOME"] || homedir(), ".local", "state");
  return join(parent, "harness-wake");
}

function sayEvent(event: WorkerEvent): string {
  switch (event.event) {
    case "started":
      return `${event.worker_id} works for ${event.harness}. ${event.message}`;
    case "held":
      return `${event.state}: ${event.message}`;
    case "claimed":
      return `${event.attempt_id}: ${event.objective}`;
    case "ended":
      return `${event.attempt_id}: ${event.state}${event.message === undefined ? "" : `: ${event.message}`}`;
    case "kept":
    case "note":
      return event.attempt_id === undefined ? event.message : `${event.attempt_id}: ${event.message}`;
    case "stopping":
      return event.message;
  }
}

function exitOf({ failed, kept, held }: WorkerSummary): ExitCode {
  if (held !== undefined) return EXIT.refused;
  return failed + kept === 0 ? EXIT.done : EXIT.partly;
}

function recordOf({ claimed, finished, failed, kept, held }: WorkerSummary): object {
  return { ok: failed + kept === 0, state: held ?? "WORKED", claimed, finished, failed, kept, invoke_model: false };
}

function sayEnd({ claimed, finished, failed, kept }: WorkerSummary): string {
  return `${claimed} claimed, ${finished} finished, ${failed} failed, ${kept} kept\n`;
}
