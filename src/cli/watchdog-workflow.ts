import { type WorkerSettings, workerJob } from "./worker-job.ts";

/** What differs between repositories in the watchdog's workflow. */
export interface WatchdogSettings {
  /** The branch that is watched: schedules run on the default branch alone. */
  readonly branch: string;
  /** What a push to that branch must touch for the watchdog to look at once, as GitHub's path patterns. */
  readonly paths: readonly string[];
  /** Commands that put the program in place, from what a lockfile pins. */
  readonly install: readonly string[];
  /** How the program is called. */
  readonly command: string;
  /** Whether a topic to mail to is there for sure. Otherwise a tick mails if the repository's secret names one. */
  readonly mails: boolean;
  /** The agent that works in the same workflow; undefined where harnesses work elsewhere. */
  readonly worker?: WorkerSettings | undefined;
}

/** Actions by commit, since a tag can be moved; the version is for people and for tools that raise both. */
const CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";
const SETUP_NODE = "actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0";

/**
 * The GitHub workflow of a watchdog. Pull requests only look, with no secret and no right to write; the watched branch
 * ticks, lands and mails. One tick at a time: a later one waits, and is decided on the remote's head when it comes.
 */
export function watchdogWorkflow({ branch, paths, install, command, mails, worker }: WatchdogSettings): string {
  const installSteps = install.map((line) => `      - run: ${line}\n`).join("");
  const pathLines = paths.map((path) => `      - ${JSON.stringify(path)}\n`).join("");
  const checkout = `      - uses: ${CHECKOUT}\n`;
  const setupNode = `      - uses: ${SETUP_NODE}\n        with:\n          node-version: 24\n`;
  const deliver = mails ? "--deliver" : `\${HARNESS_WAKE_NTFY_URLS:+--deliver}`;
  const [outputs, id, told] =
    worker === undefined
      ? ["", "", ""]
      : [
          `    outputs:\n      woken_harnesses: \${{ steps.tick.outputs.woken_harnesses }}\n`,
          "        id: tick\n",
          ' --step-output "$GITHUB_OUTPUT"',
        ];
  return `# Wakes sleeping agents: one cheap tick, which never runs a model. Late is fine, twice is not: GitHub may drop or delay a
# scheduled run, and the tick is right with gaps of hours.
name: job-watchdog

on:
  schedule:
    # Off the full hour, when GitHub is busiest.
    - cron: "7-59/15 * * * *"
  push:
    branches:
      - ${JSON.stringify(branch)}
    paths:
${pathLines}  pull_request:
    paths:
${pathLines}  workflow_dispatch:

permissions: {}

jobs:
  look:
    if: github.event_name == 'pull_request'
    concurrency:
      group: job-watchdog-\${{ github.ref }}
      cancel-in-progress: false
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read
    steps:
      # The tick asks the remote for pages, and a private one answers nobody without this job's token, which can only read.
${checkout}${setupNode}      # What the lockfile pins, and no script of it: a pull request chooses what stands there.
${installSteps}      - run: ${command} --tick --json --summary "$GITHUB_STEP_SUMMARY"

  watch:
    if: github.event_name != 'pull_request'
    concurrency:
      group: job-watchdog
      cancel-in-progress: false
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      # To push what the tick decided.
      contents: write
${outputs}    steps:
${checkout}${setupNode}${installSteps}      - run: ${command} --tick ${deliver} --land --json --summary "$GITHUB_STEP_SUMMARY"${told}
${id}        env:
          HARNESS_WAKE_WORKER_ID: gh-watchdog
          HARNESS_WAKE_NTFY_URLS: \${{ secrets.HARNESS_WAKE_NTFY_URLS }}
          HARNESS_WAKE_NTFY_TOKEN_ENV: \${{ secrets.NTFY_TOKEN != '' && 'NTFY_TOKEN' || '' }}
          NTFY_TOKEN: \${{ secrets.NTFY_TOKEN }}
          GIT_AUTHOR_NAME: github-actions[bot]
          GIT_AUTHOR_EMAIL: 41898282+github-actions[bot]@users.noreply.github.com
${worker === undefined ? "" : workerJob(worker, { checkout, setupNode, install, command })}`;
}
