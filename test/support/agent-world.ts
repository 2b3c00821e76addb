import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Usage } from "../../src/callback/decide-on-claim.ts";
import { systemClock } from "../../src/facts/clock.ts";
import type { EnclosureKind } from "../../src/harness/enclosure/enclosure.ts";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import { LastLines } from "../../src/harness/enclosure/last-lines.ts";
import { stateMounts, userMounts } from "../../src/harness/enclosure/mount.ts";
import { type RunEnd, runEnclosed } from "../../src/harness/enclosure/run-enclosed.ts";
import { type OpenAgentOptions, openAgent } from "../../src/harness/open-agent.ts";
import type { Conclusion } from "../../src/harness/program.ts";
import type { Workspace, WorkspaceEnd } from "../../src/harness/workspace/workspace.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { forAgent, type ModelAnswer, type ModelFault } from "./model-server-answer.ts";
import { tempDirectory } from "./temp-directory.ts";
import { type WorktreeFleet, worktreeFleet } from "./worktree-fleet.ts";

export const WORKERS_KEY = "sk-the-worker's-own-key";

/** One run of a real agent, as a worker makes it. */
export interface RanAgent {
  readonly conclusion: Conclusion;
  readonly usage: Usage;
  readonly end: RunEnd;
  readonly stdout: string;
  readonly stderr: string;
  readonly workspaceEnd: WorkspaceEnd;
}

export interface AgentAsk {
  readonly answers: readonly (ModelAnswer | ModelFault)[];
  readonly checkpoint?: JsonObject;
  readonly prompt?: string;
  readonly tokensLeft?: number;
  /** Looks at the worktree after the run, before it is closed. */
  readonly lookAt?: (directory: string) => void;
}

/** Everything between a model's API and a repository that a worker has: a gateway, an enclosure, worktrees, and the agent. */
export interface AgentWorld {
  readonly server: ModelServer;
  readonly fleet: WorktreeFleet;
  readonly home: string;
  readonly state: string;
  readonly kind: EnclosureKind;
  run(ask: AgentAsk): Promise<RanAgent>;
}

export interface AgentWorldOptions extends Partial<Pick<OpenAgentOptions, "model" | "maxTurns" | "budgetUsd">> {
  readonly name: string;
  /** The installed program. */
  readonly command: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly kinds?: readonly EnclosureKind[];
}

/** Longer than any run here takes; one that hangs fails its test with the reason. */
const RUN_MS_MAX = 120_000;

export async function agentWorld(options: AgentWorldOptions): Promise<AgentWorld> {
  const { name, command, files, kinds, ...bounds } = options;
  const server = await startModelServer();
  const fleet = await worktreeFleet(files);
  const [home, state] = [tempDirectory(), directoryOutsideTmp()];
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Agent\n\temail = agent@example.invalid\n");
  const env = {
    PATH: [binOf(command), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
    HOME: home,
    ANTHROPIC_API_KEY: WORKERS_KEY,
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: WORKERS_KEY,
    OPENAI_BASE_URL: `${server.url}/v1`,
  };
  const enclosure = await findEnclosure({ choice: "auto", env, ...(kinds !== undefined && { kinds }) });
  const agent = await openAgent({ name, env, clock: systemClock, enclosure, stateDirectory: state, ...bounds });
  onTestFinished(async () => {
    await agent.close();
    await server.down();
  });
  let count = 0;
  return {
    server,
    fleet,
    home,
    state,
    kind: enclosure.kind,
    async run({ answers, checkpoint = {}, prompt = "Do what there is to do.", tokensLeft = 1_000_000, lookAt }) {
      server.script = forAgent(...answers);
      const workspace = await fleet.open();
      const scratch = join(state, `run-${++count}`);
      mkdirSync(scratch);
      const program = await agent.programFor({
        job_id: "fix-it-01",
        attempt_id: `fix-it-01-a0${count}`,
        objective: "Fix it",
        checkpoint,
        step: typeof checkpoint["step"] === "number" ? checkpoint["step"] + 1 : 1,
        deadline: "2099-01-01T00:00:00Z",
        tokens_left: tokensLeft,
        prompt,
        promptFile: join(scratch, "prompt.md"),
        checkpointFile: join(scratch, "checkpoint.json"),
        outcomeFile: join(scratch, "outcome.json"),
        directory: workspace.directory,
        writable: writableIn(workspace),
        timeLimitMs: RUN_MS_MAX,
        env: { PATH: env.PATH, HOME: home, HARNESS_WAKE_OUTCOME_FILE: join(scratch, "outcome.json") },
      });
      const errors = new LastLines();
      let stdout = "";
      const run = runEnclosed(enclosure, {
        ...program,
        cwd: workspace.directory,
        mounts: [
          ...userMounts({ HOME: home }),
          ...stateMounts(state),
          ...workspace.mounts,
          ...program.mounts,
          { path: scratch, access: "write" },
        ],
        onStdout: (chunk) => {
          stdout += chunk;
          program.onStdout(chunk);
        },
        onStderr: (chunk) => errors.add(chunk),
      });
      run.stopBy(systemClock.monotonic() + RUN_MS_MAX, "it took too long");
      const end = await run.ended;
      await program.close();
      const stderr = errors.text(program.secrets);
      const conclusion = program.conclude(end, stderr);
      lookAt?.(workspace.directory);
      return { conclusion, usage: program.usage(), end, stdout, stderr, workspaceEnd: await workspace.close() };
    },
  };
}

/** Codex' own sandbox does not work with its home below /tmp. */
function directoryOutsideTmp(): string {
  const directory = mkdtempSync("/var/tmp/harness-wake-");
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function writableIn({ mounts }: Workspace): readonly string[] {
  return mounts.flatMap(({ path, access }) => (access === "write" ? [path] : []));
}

/** Where npm links the programs of the packages that a path lies in. */
export function binOf(command: string): string {
  return join(realpathSync(command).replace(/\/node_modules\/.*$/, "/node_modules"), ".bin");
}
