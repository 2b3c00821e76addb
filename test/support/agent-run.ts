import { type ChildProcess, spawn } from "node:child_process";
import { tempDirectory } from "./temp-directory.ts";

/** How an agent is called in tests of what it talks to. */
export interface AgentLine {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Claude Code that works unattended, asks the gateway alone, and tries again as often as it does by itself. */
export function claudeCodeLine(baseUrl: string, token: string): AgentLine {
  return {
    args: ["-p", "--output-format", "json", "--setting-sources", "user", "--dangerously-skip-permissions"],
    env: {
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: token,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Without it, it refuses to work for root unattended.
      IS_SANDBOX: "1",
    },
  };
}

/** Codex, the same. */
export function codexLine(baseUrl: string, token: string): AgentLine {
  const provider = `{name="gateway",base_url="${baseUrl}/v1",wire_api="responses",env_key="GATEWAY_TOKEN"}`;
  const settings = ['model_provider="gateway"', `model_providers.gateway=${provider}`, "analytics.enabled=false"];
  const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--disable", "plugins", "--json"];
  return { args: ["exec", ...settings.flatMap((one) => ["-c", one]), ...flags, "-"], env: { GATEWAY_TOKEN: token } };
}

export interface AgentRun {
  readonly child: ChildProcess;
  /** The directory that it works in, and its home. */
  readonly cwd: string;
  readonly home: string;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string }>;
}

/** Past this an agent that goes on trying for ever is ended, and the test fails. */
const RUN_MS_MAX = 120_000;

/** Starts an agent with nothing of this process's surroundings but PATH. */
export function startAgent(command: string, { args, env }: AgentLine): AgentRun {
  const [cwd, home] = [tempDirectory(), tempDirectory()];
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, TMPDIR: home, ...env },
    stdio: ["pipe", "pipe", "ignore"],
    timeout: RUN_MS_MAX,
    killSignal: "SIGKILL",
  });
  child.stdin.end("Do what there is to do.");
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const ended = new Promise<{ code: number | null; stdout: string }>((resolve, reject) => {
    child.on("error", reject).on("close", (code) => resolve({ code, stdout }));
  });
  return { child, cwd, home, ended };
}
