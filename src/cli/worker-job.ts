import type { AgentName } from "../harness/agents/agent-names.ts";

/** Agents that work with nothing but a key. The others need to be told more, such as a model's name. */
export const WORKFLOW_AGENTS = ["claude-code", "codex"] as const satisfies readonly AgentName[];
export type WorkflowAgent = (typeof WORKFLOW_AGENTS)[number];

/** The agent of a workflow. */
export interface WorkerSettings {
  /** Also the harness whose jobs it takes. */
  readonly agent: WorkflowAgent;
  /** Commands that put its program in place, from what a lockfile pins. */
  readonly install: readonly string[];
  /** Where npm links its program, from the top of the repository. */
  readonly binDirectory: string;
  /** Secrets of the repository, the first of which that is set is its key. */
  readonly keys: readonly string[];
}

/** What the worker's job has in common with the watchdog's. */
interface Beginning {
  readonly checkout: string;
  readonly setupNode: string;
  readonly install: readonly string[];
  readonly command: string;
}

/**
 * How long the job may take, in minutes: less than a lease of 900 seconds, which is what a job has unless its owner says
 * otherwise. A claim comes after the job's start, so its lease ends after the job's end.
 */
export const WORKER_JOB_MINUTES = 14;

/** What is left of that for a run, once everything is installed. */
const RUN_MINUTES = 10;

/** How many agents a runner holds at once. Jobs that woke together are worked on together, before their leases are over. */
const AGENTS_AT_ONCE = 4;

const BOT = "github-actions[bot]";
const BOT_MAIL = "41898282+github-actions[bot]@users.noreply.github.com";

/** The job that works when the watchdog's tick woke something for its agent. The model's key is in its last step alone. */
export function workerJob({ agent, install, binDirectory, keys }: WorkerSettings, shared: Beginning): string {
  const steps = [...new Set([...shared.install, ...install])].map((line) => `      - run: ${line}\n`).join("");
  const secrets = keys.map((key) => `          ${key}: \${{ secrets.${key} }}\n`).join("");
  const anyKey = keys.map((key) => `$${key}`).join("");
  return `
  work:
    needs: watch
    # Also after a tick with a broken job: the other jobs woke.
    if: \${{ !cancelled() && contains(fromJSON(needs.watch.outputs.woken_harnesses || '[]'), '${agent}') }}
    runs-on: ubuntu-latest
    # Below the lease of a job, which is 15 minutes: a runner that hangs is gone before anybody else is offered the job. For
    # longer runs raise this and --time-limit below, and give the jobs longer leases: create --lease-seconds.
    timeout-minutes: ${WORKER_JOB_MINUTES}
    permissions:
      # To push the agent's pages, and what came of its attempts.
      contents: write
    steps:
${shared.checkout}${shared.setupNode}      # bubblewrap closes the agent in: it sees no process but its own, and nothing of it outlives its run.
      - run: sudo apt-get update -q && sudo apt-get install -q -y bubblewrap
      # bubblewrap makes user namespaces. Ubuntu since 24.04 allows them only to programs that it has a profile for.
      - run: sudo sysctl --ignore --write kernel.apparmor_restrict_unprivileged_userns=0
      # What lockfiles pin, by its hash.
${steps}      # Whose commits the agent's are.
      - run: git config user.name "${BOT}" && git config user.email "${BOT_MAIL}"
      # exec, so that a runner that is told to stop tells the worker, which then stops its agents in order.
      - run: |
          if [ -z "${anyKey}" ]; then
            echo "::error::There is no key for ${agent}: save it as the repository secret ${keys.join(" or ")}."
            exit 2
          fi
          export PATH="$PWD/${binDirectory}:$PATH"
          exec ${shared.command} work --harness ${agent} --agent ${agent} --once --concurrency ${AGENTS_AT_ONCE} --time-limit ${RUN_MINUTES}m --enclosure bwrap
        env:
${secrets}          HARNESS_WAKE_WORKER_ID: gh-worker-\${{ github.run_id }}-\${{ github.run_attempt }}
          GIT_AUTHOR_NAME: ${BOT}
          GIT_AUTHOR_EMAIL: ${BOT_MAIL}
`;
}
