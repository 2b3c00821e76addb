import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { JobError } from "../../errors/job-error.ts";
import type { Clock } from "../../facts/clock.ts";
import { randomToken } from "../../facts/ids.ts";
import { OpenRun } from "./open-run.ts";
import { sendNoRoute, sendRefusal } from "./refusal.ts";
import { routeOf } from "./routes.ts";
import { RunLedger, type RunUsage } from "./run-ledger.ts";
import { Upstream, type UpstreamOptions } from "./upstream.ts";

export interface GatewayOptions {
  readonly upstream: UpstreamOptions;
  /** Its monotonic time says how long the API has failed. */
  readonly clock: Clock;
  /** Draws a run's token; 192 random bits by default. */
  readonly newToken?: () => string;
  /** How long the API may fail in a row before a run is told to end. Agents try again meanwhile. */
  readonly patienceMs?: number;
}

export interface RunOptions {
  /** Tokens that the run may use (`tokens_left` of the job): input, output and cache writes. */
  readonly budgetTokens: number;
  /** Called whenever the run's counts moved. Must not throw. */
  readonly onUsage?: (usage: RunUsage) => void;
}

/** What one run of an agent talks to (contract §11). */
export interface GatewayRun {
  /** `http://127.0.0.1:<port>`, without `/v1`: ANTHROPIC_BASE_URL as it is; for OpenAI's APIs append `/v1`. */
  readonly baseUrl: string;
  /** What the agent gets instead of the API's key. It is good for this run alone, and for nothing once it ended. */
  readonly token: string;
  /** What the run has used so far. */
  usage(): RunUsage;
  /**
   * Call it when the agent is gone. The token is dead at once. Answers under way are read to their end, so that they are
   * counted, for `waitMs` (default 60 s) at most; then they are cut. Gives what the run used in all. Never throws.
   */
  end(waitMs?: number): Promise<RunUsage>;
}

export interface Gateway {
  /** Throws JobError SCHEMA for a budget that is no whole number. */
  startRun(options: RunOptions): GatewayRun;
  /** Ends every run without waiting for answers, and stops listening. */
  close(): Promise<void>;
}

/** Agents get over a short outage by themselves. After a minute the tick's back-off is the better way to wait. */
const PATIENCE_MS = 60_000;

/** Enough for most answers. The worker that waits must still finish the job before its lease ends. */
const END_WAIT_MS = 60_000;

/** An agent's connection lies idle while its tools run. Closing it after Node's 5 s races with the next call. */
const KEEP_ALIVE_MS = 600_000;

/** Any process of this machine can connect, and must not use up the worker's file descriptors. */
const CONNECTIONS_MAX = 512;

/** For one request to come in. It comes no faster than the API takes it. */
const REQUEST_MS_MAX = 600_000;

/**
 * Listens on a port of the loopback interface, and forwards the calls of agents to one API under the worker's key, which
 * no agent ever holds (contract §11). Throws JobError CONFIG for an address or key that cannot be used. Logs nothing.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { clock, newToken = () => randomToken() + randomToken(), patienceMs = PATIENCE_MS } = options;
  const upstream = await Upstream.open(options.upstream);
  const runs = new Map<string, OpenRun>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MS_MAX }, (request, response) => {
    serve(runs, request, response);
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    startRun({ budgetTokens, onUsage }) {
      if (!Number.isSafeInteger(budgetTokens))
        throw new JobError("SCHEMA", `budgetTokens is ${budgetTokens}, not a whole number`);
      const token = newToken();
      const run = new OpenRun(new RunLedger({ budgetTokens, patienceMs, clock }), upstream, onUsage);
      runs.set(token, run);
      return {
        baseUrl: `http://127.0.0.1:${port}`,
        token,
        usage: () => run.usage(),
        end: (waitMs = END_WAIT_MS) => {
          runs.delete(token);
          return run.end(waitMs);
        },
      };
    },
    async close() {
      const open = [...runs.values()];
      runs.clear();
      await Promise.all(open.map((run) => run.end(0)));
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await upstream.close();
    },
  };
}

function serve(runs: ReadonlyMap<string, OpenRun>, request: IncomingMessage, response: ServerResponse): void {
  // What is written to an agent that went away is lost, and no fault of ours.
  response.on("error", () => undefined);
  const run = tokensOf(request)
    .map((token) => runs.get(token))
    .find((found) => found !== undefined);
  const route = routeOf(request.method ?? "", request.url ?? "");
  // Not 401, which Claude Code tries again for three minutes: a run that is over does not come back.
  if (run === undefined) sendRefusal(response, { kind: "auth", message: "the run of this token is over, or never was" });
  else if (route === null) sendNoRoute(response);
  else run.serve(route, request, response);
}

/** Where agents put what they prove themselves with. Tokens are looked up, not compared: they are too long to be guessed. */
function tokensOf({ headers }: IncomingMessage): readonly string[] {
  const apiKey = headers["x-api-key"];
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
  return [apiKey, bearer].flat().filter((token) => token !== undefined);
}
