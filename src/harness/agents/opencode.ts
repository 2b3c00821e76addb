import { join } from "node:path";
import { JobError } from "../../errors/job-error.ts";
import type { JsonObject } from "../../json/json.ts";
import { kindOfError } from "../gateway/api-error.ts";
import type { AgentRecord, AgentReport, AgentRun, CommandAgent, CommandLine } from "./agent.ts";
import type { AgentError } from "./agent-error.ts";
import { amountField, countField, objectField, textField } from "./fields.ts";

/** The provider that stands for the gateway, and the variable in which it finds the run's token. */
const PROVIDER = "harness-wake";
const TOKEN_VARIABLE = "HARNESS_WAKE_GATEWAY_TOKEN";

/** opencode, `opencode run`. */
export const opencode: CommandAgent = {
  name: "opencode",
  program: "opencode",
  package: { name: "opencode-ai", version: "1.18.33", installer: "postinstall.mjs" },
  home: { directory: ".local/share", variable: "XDG_DATA_HOME" },
  api: {
    url: "https://api.openai.com",
    urlVariable: "OPENAI_BASE_URL",
    keys: [{ variable: "OPENAI_API_KEY", scheme: "bearer" }],
  },
  // Gone on with from another directory, a session runs its tools in the old one, prints nothing and never ends.
  sessions: undefined,
  commandLine,
  openRecord,
};

function commandLine(run: AgentRun): CommandLine {
  const { gateway, home, model, enclosure } = run;
  if (!enclosure.protectsFiles) {
    const why = "it runs plugins that the checkout brings along, whatever it is told";
    throw new JobError("CONFIG", `opencode works only where files are protected: ${why}. Install bubblewrap`);
  }
  if (gateway !== undefined && model === undefined) {
    throw new JobError("CONFIG", "opencode needs a model by name; give --model", { field: "model" });
  }
  const named = gateway === undefined ? model : `${PROVIDER}/${model}`;
  return {
    argv: [
      run.program,
      "run",
      ...["--format", "json"],
      // Else it asks the model for one.
      ...["--title", "harness-wake"],
      "--pure",
      "--auto",
      ...(named === undefined ? [] : ["--model", named]),
    ],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(run)),
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      ...(home.isOwn && ownPlaces(home.directory)),
      ...(gateway !== undefined && { [TOKEN_VARIABLE]: gateway.token }),
    },
    stdin: run.prompt,
    files: [],
  };
}

function settings({ gateway, model }: AgentRun): object {
  const options = { baseURL: `${gateway?.baseUrl}/v1`, apiKey: `{env:${TOKEN_VARIABLE}}` };
  const provider = { [PROVIDER]: { npm: "@ai-sdk/openai-compatible", options, models: { [model ?? ""]: {} } } };
  return {
    autoupdate: false,
    share: "disabled",
    // A request that is too large would be made smaller and sent again for ever.
    compaction: { auto: false },
    ...(gateway !== undefined && { provider }),
  };
}

function ownPlaces(directory: string): Readonly<Record<string, string>> {
  const names = { XDG_DATA_HOME: "data", XDG_CONFIG_HOME: "config", XDG_STATE_HOME: "state", XDG_CACHE_HOME: "cache" };
  return Object.fromEntries(Object.entries(names).map(([variable, name]) => [variable, join(directory, name)]));
}

/** Lines of `--format json`: `step_start`, `text`, `tool_use` and `step_finish`; the last step's reason is `stop`. */
function openRecord(): AgentRecord {
  let turns = 0;
  let tokens = 0;
  let cost: number | undefined = 0;
  let answer = "";
  let reason: string | undefined;
  let error: JsonObject | undefined;
  const use = () =>
    turns === 0 ? {} : { turns, tokens_used: tokens, ...(cost !== undefined && cost > 0 && { cost_usd: cost }) };
  return {
    read(line) {
      const part = objectField(line, "part");
      switch (line["type"]) {
        case "text":
          answer = textField(part, "text") ?? "";
          break;
        case "step_finish": {
          turns++;
          tokens += tokensOf(objectField(part, "tokens"));
          const stepCost = amountField(part, "cost");
          cost = cost === undefined || stepCost === undefined ? undefined : cost + stepCost;
          reason = textField(part, "reason");
          break;
        }
        case "error":
          error ??= objectField(line, "error");
          break;
      }
    },
    use,
    report(stderr): AgentReport {
      if (error !== undefined) return { ...use(), state: "failed", error: errorOf(error) };
      if (reason === "stop") return { ...use(), state: "completed", answer };
      return { ...use(), state: "failed", error: { kind: "no_answer", message: stderr } };
    },
  };
}

/** As a budget counts them. Its input is without what came from the cache. A model without a price costs it 0: unknown. */
function tokensOf(tokens: JsonObject): number {
  const told = [...["input", "output", "reasoning"].map((name) => countField(tokens, name))];
  return told.reduce<number>((sum, one) => sum + (one ?? 0), countField(objectField(tokens, "cache"), "write") ?? 0);
}

function errorOf(error: JsonObject): AgentError {
  const data = objectField(error, "data");
  const message = textField(data, "message") ?? textField(error, "name") ?? "";
  switch (error["name"]) {
    case "ContextOverflowError":
      return { kind: "context", message };
    case "ProviderAuthError":
      return { kind: "auth", message };
    case "APIError": {
      const status = countField(data, "statusCode");
      return { kind: status === undefined ? "network" : kindOfError({ status, code: "", message }), message };
    }
    default:
      return { kind: "agent", message };
  }
}
