import type { IncomingMessage, ServerResponse } from "node:http";
import type { Route } from "./routes.ts";
import type { RunLedger } from "./run-ledger.ts";
import type { Upstream } from "./upstream.ts";

/** One request of an agent, with all that is needed to answer it. */
export interface Call {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly ledger: RunLedger;
  readonly upstream: Upstream;
  /** Ends the call at the API too. An agent that goes away does not: its answer is billed, so it is read and counted. */
  readonly signal: AbortSignal;
  /** Told when the run's counts moved. */
  readonly onCount: () => void;
}
