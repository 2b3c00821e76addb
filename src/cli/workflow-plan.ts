import { join } from "node:path";
import { readBoundedFile } from "../facts/read-bounded-file.ts";
import type { AgentPackage } from "../harness/agents/agent.ts";
import { KNOWN_AGENTS } from "../harness/agents/known-agents.ts";
import { findPinnedPackage, installLine, nodeModules, type PinnedPackage } from "./pinned-package.ts";
import { watchdogWorkflow } from "./watchdog-workflow.ts";
import { WORKFLOW_AGENTS, type WorkerSettings, type WorkflowAgent } from "./worker-job.ts";

export const WORKFLOW_FILE = ".github/workflows/job-watchdog.yml";

/** Where a workflow looks for lockfiles of its own. Each agent has a directory by itself: a tick does without its megabytes. */
const OWN_DIRECTORY = ".github/harness-wake";

/** Far more than what `init` writes: what is longer is not its own. */
const WORKFLOW_BYTES_MAX = 64 * 1024;

export interface WorkflowChoices {
  /** The top of the repository. */
  readonly root: string;
  readonly branch: string;
  /** Directories whose changes are looked at once. */
  readonly watched: readonly string[];
  /** Whether the config names a topic to mail to. */
  readonly hasTopic: boolean;
  readonly worker: WorkflowAgent | undefined;
}

/** The workflow that `init` writes, and what it relies on. */
export interface WorkflowPlan {
  readonly text: string;
  readonly program: PinnedPackage;
  readonly worker: WorkerPlan | undefined;
}

export interface WorkerPlan {
  readonly agent: WorkflowAgent;
  readonly package: AgentPackage;
  readonly pinned: PinnedPackage;
  /** Secrets of the repository, one of which has to hold a key. */
  readonly keys: readonly string[];
}

export function planWorkflow({ root, branch, watched, hasTopic, worker: agent }: WorkflowChoices): WorkflowPlan {
  const program = findPinnedPackage(root, "harness-wake", OWN_DIRECTORY);
  const worker = agent === undefined ? undefined : planWorker(root, agent);
  const text = watchdogWorkflow({
    branch,
    paths: [...watched.map((directory) => `${directory}/**`), "harness-wake.json", WORKFLOW_FILE],
    install: [installLine(program)],
    command: `${nodeModules(program)}/.bin/harness-wake`,
    // Where an agent works in the workflow itself, mail is for others.
    mails: hasTopic || worker === undefined,
    worker: worker && workerSettings(worker),
  });
  return { text, program, worker };
}

/** Whether the workflow that stands there is as `init` wrote it, for whatever agent. Nobody's own lines are lost with it. */
export function isUntouchedWorkflow(choices: WorkflowChoices): boolean {
  const found = readBoundedFile(join(choices.root, WORKFLOW_FILE), WORKFLOW_BYTES_MAX);
  if (found.kind !== "content") return false;
  const text = found.bytes.toString();
  return [undefined, ...WORKFLOW_AGENTS].some((worker) => planWorkflow({ ...choices, worker }).text === text);
}

function planWorker(root: string, name: WorkflowAgent): WorkerPlan {
  const agent = KNOWN_AGENTS.find((known) => known.name === name);
  if (agent === undefined) throw new TypeError(`an agent of a workflow is a known one: ${name}`);
  return {
    agent: name,
    package: agent.package,
    pinned: findPinnedPackage(root, agent.package.name, `${OWN_DIRECTORY}/${name}`),
    keys: agent.api.keys.map(({ variable }) => variable),
  };
}

function workerSettings({ agent, package: { name, installer }, pinned, keys }: WorkerPlan): WorkerSettings {
  const modules = nodeModules(pinned);
  return {
    agent,
    install: [installLine(pinned), ...(installer === undefined ? [] : [`node ${modules}/${name}/${installer}`])],
    binDirectory: `${modules}/.bin`,
    keys,
  };
}
