/**
 * A run by the real SDK, in a process of its own like the runner, but for one thing: it keeps CURSOR_BACKEND_URL, so that a
 * test can play the backend. Reads `{app, request}` from standard input; writes the result to standard output.
 */
import { systemClock } from "../../src/facts/clock.ts";
import { endProcess, onStrayErrors, readStandardInput, takeStandardOutput } from "../../src/facts/own-output.ts";
import { pauseBetween } from "../../src/facts/pause.ts";
import { loadSdk } from "../../src/harness/cursor/load-sdk.ts";
import { type AgentRequest, runAgent } from "../../src/harness/cursor/run-agent.ts";

const { app, request }: { readonly app: string; readonly request: AgentRequest } = JSON.parse(readStandardInput());
const { write } = takeStandardOutput(request.apiKey === "" ? undefined : request.apiKey);
onStrayErrors((error) => process.stderr.write(`stray: ${String(error)}\n`));
const loaded = loadSdk(app);
if (loaded.state === "failed") throw new Error(loaded.why);
const result = await runAgent(request, {
  sdk: loaded.sdk,
  tools: [],
  timing: { clock: systemClock, pause: pauseBetween },
  emit: () => undefined,
  note: (message) => process.stderr.write(`note: ${message}\n`),
  signal: new AbortController().signal,
});
await write(JSON.stringify(result));
endProcess(0);
