import { join } from "node:path";
import { JobError } from "../../errors/job-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json/json.ts";
import { parseJson } from "../../json/parse-json.ts";
import { kindOfError } from "../gateway/api-error.ts";
import { strictOutcomeJsonSchema } from "../outcome-json-schema.ts";
import type { AgentRecord, AgentReport, AgentRun, CommandAgent, CommandLine } from "./agent.ts";
import type { AgentError, AgentErrorKind } from "./agent-error.ts";
import { countField, objectField, textField } from "./fields.ts";

/** Its own defaults are up to 30 tries. The gateway has its own patience; these are for a call that broke. */
const RETRIES = 3;

const STREAM_SILENCE_MS = 120_000;

/** The provider that stands for the gateway, and the variable in which it finds the run's token. */
const PROVIDER = "harness_wake";
const TOKEN_VARIABLE = "HARNESS_WAKE_GATEWAY_TOKEN";

/** Codex, `codex exec`. */
export const codex: CommandAgent = {
  name: "codex",
  program: "codex",
  package: { name: "@openai/codex", version: "0.171.0" },
  home: { directory: ".codex", variable: "CODEX_HOME" },
  api: {
    url: "https://api.openai.com",
    urlVariable: "OPENAI_BASE_URL",
    keys: [
      { variable: "OPENAI_API_KEY", scheme: "bearer" },
      { variable: "CODEX_API_KEY", scheme: "bearer" },
    ],
  },
  sessions: { id: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/, directory: "sessions" },
  commandLine,
  openRecord,
};

function commandLine(run: AgentRun): CommandLine {
  const { session, model, gateway, home } = run;
  const schema = join(run.scratch, "outcome-schema.json");
  return {
    argv: [
      run.program,
      "exec",
      ...settings(run).flatMap((setting) => ["-c", setting]),
      ...(model === undefined ? [] : ["--model", model]),
      ...["--disable", "plugins"],
      // What an earlier run may have written there is not for this one.
      ...(home.isOwn ? ["--ignore-user-config"] : []),
      "--ignore-rules",
      ...permission(run),
      "--skip-git-repo-check",
      "--json",
      ...["--output-schema", schema],
      // What stands before `resume` holds for it too, which knows few flags itself.
      ...(session.kind === "resume" ? ["resume", session.session.id] : []),
      "-",
    ],
    env: {
      ...(home.isOwn && { CODEX_HOME: home.directory }),
      ...(gateway !== undefined && { [TOKEN_VARIABLE]: gateway.token }),
    },
    stdin: run.prompt,
    files: [{ path: schema, text: JSON.stringify(strictOutcomeJsonSchema()) }],
  };
}

/** Settings of this call, each a line of TOML. JSON text is TOML's too. */
function settings({ gateway, budgetTokens }: AgentRun): readonly string[] {
  return [
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    // Its tools get what the run gets, but for the token of its API.
    `shell_environment_policy={inherit="all",ignore_default_excludes=true,exclude=["${TOKEN_VARIABLE}"]}`,
    ...(gateway === undefined ? [tokenBudget(budgetTokens)] : throughGateway(gateway.baseUrl)),
  ];
}

/** A provider of our own: its built-in one would look for other addresses first, and for a login. */
function throughGateway(baseUrl: string): readonly string[] {
  const provider = [
    'name="harness-wake"',
    `base_url=${JSON.stringify(`${baseUrl}/v1`)}`,
    'wire_api="responses"',
    `env_key="${TOKEN_VARIABLE}"`,
    `request_max_retries=${RETRIES}`,
    `stream_max_retries=${RETRIES}`,
    `stream_idle_timeout_ms=${STREAM_SILENCE_MS}`,
  ];
  return [`model_provider="${PROVIDER}"`, `model_providers.${PROVIDER}={${provider.join(",")}}`];
}

/** Its only bound of its own: it ends a run of too many tokens. A gateway bounds better. */
function tokenBudget(tokens: number): string {
  return `features.rollout_budget={enabled=true,limit_tokens=${tokens},reminder_at_remaining_tokens=[${Math.floor(tokens / 10)}]}`;
}

/**
 * Where the enclosure protects files nothing more is asked for: its own sandbox could not be set up inside. Elsewhere its own
 * sandbox keeps its tools to what the run may write; they need the network, to push.
 */
function permission({ enclosure, writable, home }: AgentRun): readonly string[] {
  if (enclosure.protectsFiles) return ["--dangerously-bypass-approvals-and-sandbox"];
  if (home.directory.startsWith("/tmp/")) {
    // It would say so on standard error, and then fail every command of its tools without failing itself.
    const remedy = "keep the worker's state elsewhere (--state-dir), or install bubblewrap";
    throw new JobError("CONFIG", `codex's own sandbox does not work with its home below /tmp (${home.directory}); ${remedy}`);
  }
  const network = ["-c", "sandbox_workspace_write.network_access=true"];
  return ["--sandbox", "workspace-write", ...network, ...writable.flatMap((directory) => ["--add-dir", directory])];
}

/** Kinds of items that are work, in contrast to talk. It tells no turns, so these stand for them. */
const WORK_ITEMS: readonly string[] = ["command_execution", "file_change", "mcp_tool_call", "web_search"];

/** Lines of `--json`: `thread.started` first, `item.*` between, `turn.completed` or `turn.failed` as the last one. */
function openRecord({ session }: AgentRun): AgentRecord {
  // Its counts are the thread's. What the thread had before is known where the run before has noted it.
  const before = session.kind === "resume" ? (session.session.tokens ?? 0) : 0;
  let id: string | undefined;
  let turns = 0;
  let answer: string | undefined;
  let total: number | undefined;
  let failure: string | undefined;
  let isCompleted = false;
  const use = () => ({
    ...(total !== undefined && { tokens_used: Math.max(0, total - before) }),
    ...(turns > 0 && { turns }),
  });
  return {
    read(line) {
      const item = objectField(line, "item");
      switch (line["type"]) {
        case "thread.started":
          id = textField(line, "thread_id");
          break;
        case "item.completed":
          if (WORK_ITEMS.includes(textField(item, "type") ?? "")) turns++;
          if (item["type"] === "agent_message") answer = textField(item, "text");
          break;
        case "turn.completed":
          isCompleted = true;
          turns++;
          total = tokensOf(objectField(line, "usage"));
          break;
        case "turn.failed":
          failure = textField(objectField(line, "error"), "message") ?? "";
          break;
        case "error":
          // What it tries again is told too; only the end counts.
          failure ??= textField(line, "message");
          break;
      }
    },
    use,
    report(stderr): AgentReport {
      const common = {
        ...use(),
        ...(id !== undefined &&
          codex.sessions?.id.test(id) && { session: { agent: codex.name, id, ...(total !== undefined && { tokens: total }) } }),
      };
      if (isCompleted) {
        const outcome = answer === undefined ? undefined : objectIn(answer);
        return { ...common, state: "completed", answer: answer ?? "", ...(outcome !== undefined && { outcome }) };
      }
      return { ...common, state: "failed", error: errorOf(failure, stderr) };
    },
  };
}

/** As a budget counts them: its input includes what came from the cache, which does not count (contract §11). */
function tokensOf(usage: JsonObject): number {
  const [input, cached, output] = ["input_tokens", "cached_input_tokens", "output_tokens"].map(
    (name) => countField(usage, name) ?? 0,
  );
  return Math.max(0, (input ?? 0) - (cached ?? 0)) + (output ?? 0);
}

function errorOf(failure: string | undefined, stderr: string): AgentError {
  if (failure !== undefined) return { kind: kindOfWords(failure), message: messageIn(failure) };
  if (/no rollout found|thread\/resume failed|already has an active writer/i.test(stderr))
    return { kind: "session_gone", message: stderr };
  const kind = kindOfWords(stderr);
  return { kind: kind === "agent" ? "no_answer" : kind, message: stderr };
}

/** It tells errors in words alone: sometimes the API's whole answer, sometimes a sentence of its own. */
function kindOfWords(words: string): AgentErrorKind {
  const answer = objectIn(words);
  if (answer !== undefined) {
    const error = objectField(answer, "error");
    const code = textField(error, "code") ?? textField(error, "type") ?? "";
    return kindOfError({ status: 400, code, message: textField(error, "message") ?? "" });
  }
  const status = /(?:unexpected|last) status:? (\d{3})/.exec(words)?.[1];
  if (status !== undefined) return kindOfError({ status: Number(status), code: "", message: words });
  return WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? "agent";
}

const WORDS: readonly (readonly [RegExp, AgentErrorKind])[] = [
  [/context window/i, "context"],
  [/budget reached/i, "budget"],
  [/usage limit|rate limit|too many requests/i, "rate_limit"],
  [/quota|not logged in|log in|login|unauthorized|api key/i, "auth"],
  [/high demand|overloaded|server error/i, "server"],
  [/stream disconnected|error sending request|waiting for network|connection|timed? ?out/i, "network"],
];

function messageIn(failure: string): string {
  const answer = objectIn(failure);
  return answer === undefined ? failure : (textField(objectField(answer, "error"), "message") ?? failure);
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: Json = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    return undefined;
  }
}
