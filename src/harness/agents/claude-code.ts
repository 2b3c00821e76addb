import { JobError } from "../../errors/job-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json/json.ts";
import { kindOfError } from "../gateway/api-error.ts";
import { outcomeJsonSchema } from "../outcome-json-schema.ts";
import type { AgentRecord, AgentReport, AgentRun, AgentUse, CommandAgent, CommandLine } from "./agent.ts";
import type { AgentError, AgentErrorKind } from "./agent-error.ts";
import { amountField, countField, listField, objectField, textField } from "./fields.ts";

/** Its own default is eleven tries over three minutes. The gateway has its own patience; these are for a call that broke. */
const RETRIES = 3;

/** A stream that says nothing for so long is dead. Ten seconds is the least that it takes. */
const STREAM_SILENCE_MS = 120_000;

/** An answer that has not begun after so long does not come. */
const ANSWER_MS = 600_000;

const SESSION_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Claude Code, `claude -p`. */
export const claudeCode: CommandAgent = {
  name: "claude-code",
  program: "claude",
  package: { name: "@anthropic-ai/claude-code", version: "2.1.332", installer: "install.cjs" },
  home: { directory: ".claude", variable: "CLAUDE_CONFIG_DIR" },
  api: {
    url: "https://api.anthropic.com",
    urlVariable: "ANTHROPIC_BASE_URL",
    keys: [
      { variable: "ANTHROPIC_API_KEY", scheme: "x-api-key" },
      { variable: "ANTHROPIC_AUTH_TOKEN", scheme: "bearer" },
      { variable: "CLAUDE_CODE_OAUTH_TOKEN", scheme: "bearer" },
    ],
  },
  sessions: { id: SESSION_ID, directory: "projects" },
  commandLine,
  openRecord,
};

function commandLine(run: AgentRun): CommandLine {
  if (run.enclosure.userIdInside === 0) {
    throw new JobError(
      "CONFIG",
      "claude-code does not work unattended as root: install bubblewrap, so that runs are enclosed as another user, or run the worker as one",
    );
  }
  const { session, maxTurns, budgetUsd, model, gateway, home } = run;
  return {
    argv: [
      run.program,
      "-p",
      ...["--output-format", "stream-json", "--verbose"],
      // Without its trust dialog it would take hooks, servers, helpers and addresses from the checkout.
      ...["--setting-sources", home.isOwn ? "" : "user"],
      "--strict-mcp-config",
      ...(session.kind === "resume" ? ["--resume", session.session.id] : ["--session-id", session.id]),
      ...(maxTurns === undefined ? [] : ["--max-turns", `${maxTurns}`]),
      ...(budgetUsd === undefined ? [] : ["--max-budget-usd", `${budgetUsd}`]),
      ...(model === undefined ? [] : ["--model", model]),
      ...["--json-schema", JSON.stringify(outcomeJsonSchema())],
      // Nobody is there to ask. What it may do is the enclosure's to say.
      "--dangerously-skip-permissions",
    ],
    env: {
      ...(home.isOwn && { CLAUDE_CONFIG_DIR: home.directory }),
      ...(gateway !== undefined && { ANTHROPIC_BASE_URL: gateway.baseUrl, [gateway.key.variable]: gateway.token }),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // It would wait for whatever its tools left in the background, and ask the model again for each.
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_MAX_RETRIES: `${RETRIES}`,
      API_TIMEOUT_MS: `${ANSWER_MS}`,
      CLAUDE_ENABLE_BYTE_WATCHDOG: "1",
      CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: `${STREAM_SILENCE_MS}`,
    },
    stdin: run.prompt,
    files: [],
  };
}

/** Lines of `stream-json`: `system` first, then `assistant` and `user`, and `result` as the last one of a run. */
function openRecord(): AgentRecord {
  let id: string | undefined;
  let turns = 0;
  let tokens = 0;
  let lastMessage: string | undefined;
  let result: JsonObject | undefined;
  const use = (): AgentUse => (result === undefined ? { ...(turns > 0 && { turns, tokens_used: tokens }) } : useOf(result));
  return {
    read(line) {
      const found = textField(line, "session_id");
      if (found !== undefined && SESSION_ID.test(found)) id = found;
      if (line["type"] === "result") result = line;
      if (line["type"] !== "assistant") return;
      const message = objectField(line, "message");
      // A message comes in several lines, one for each of its parts, and with its usage on each.
      if (textField(message, "id") === lastMessage) return;
      lastMessage = textField(message, "id");
      turns++;
      tokens += tokensOf(objectField(message, "usage"));
    },
    use,
    report: (stderr): AgentReport => ({
      ...use(),
      ...(id !== undefined && { session: { agent: claudeCode.name, id } }),
      ...(result === undefined ? { state: "failed", error: withoutResult(stderr) } : conclusion(result)),
    }),
  };
}

/** What a run used, helpers on other models included. `total_cost_usd` and `modelUsage` are the whole session's. */
function useOf(result: JsonObject): AgentUse {
  const turns = countField(result, "num_turns");
  const models = Object.values(objectField(result, "model_usage_since_last_result")).filter(isJsonObject);
  const costs = models.map((model) => amountField(model, "costUSD"));
  const isTold = Object.hasOwn(result, "model_usage_since_last_result") && costs.every((cost) => cost !== undefined);
  return {
    tokens_used: models.length === 0 ? tokensOf(objectField(result, "usage")) : sum(models.map(tokensOfModel)),
    ...(isTold && { cost_usd: sum(costs) }),
    ...(turns !== undefined && { turns }),
  };
}

function tokensOfModel(model: JsonObject): number {
  return sum(["inputTokens", "outputTokens", "cacheCreationInputTokens"].map((name) => countField(model, name)));
}

/** As a budget counts them: what was read from the cache is not (contract §11). */
function tokensOf(usage: JsonObject): number {
  return sum(["input_tokens", "output_tokens", "cache_creation_input_tokens"].map((name) => countField(usage, name)));
}

function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, one) => total + (one ?? 0), 0);
}

function conclusion(
  result: JsonObject,
): { state: "completed"; answer: string; outcome?: Json } | { state: "failed"; error: AgentError } {
  // An error of the API is told as subtype "success".
  if (result["is_error"] !== false || result["subtype"] !== "success") return { state: "failed", error: errorOf(result) };
  const outcome = result["structured_output"];
  return {
    state: "completed",
    answer: textField(result, "result") ?? "",
    ...(outcome !== undefined && outcome !== null && { outcome }),
  };
}

const KIND_OF_SUBTYPE: Readonly<Record<string, AgentErrorKind>> = {
  error_max_turns: "max_turns",
  error_max_budget_usd: "budget",
};

const KIND_OF_REASON: Readonly<Record<string, AgentErrorKind>> = {
  prompt_too_long: "context",
  image_error: "context",
  max_turns: "max_turns",
  budget_exhausted: "budget",
};

function errorOf(result: JsonObject): AgentError {
  const errors = listField(result, "errors").filter((error) => typeof error === "string");
  const message = textField(result, "result") ?? errors.join("; ");
  const known = KIND_OF_SUBTYPE[textField(result, "subtype") ?? ""] ?? KIND_OF_REASON[textField(result, "terminal_reason") ?? ""];
  return { kind: known ?? kindByWords(result, message), message };
}

function kindByWords(result: JsonObject, message: string): AgentErrorKind {
  const [status, code] = [countField(result, "api_error_status"), textField(result, "api_error_type")];
  if (status !== undefined || code !== undefined) return kindOfError({ status, code: code ?? "", message });
  if (textField(result, "api_error") === "connection_failed") return "network";
  if (/safeguards|usage policy|legal\/aup/i.test(message)) return "refused";
  return kindOfWords(message);
}

function withoutResult(stderr: string): AgentError {
  const kind = kindOfWords(stderr);
  return { kind: kind === "agent" ? "no_answer" : kind, message: stderr };
}

function kindOfWords(words: string): AgentErrorKind {
  if (/No conversation found|already in use/i.test(words)) return "session_gone";
  if (/not logged in|\/login|invalid api key|authentication/i.test(words)) return "auth";
  return "agent";
}
