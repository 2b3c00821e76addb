import type { IncomingMessage, ServerResponse } from "node:http";
import { within } from "../../facts/pause.ts";
import { faultName } from "../../http/http-answer.ts";
import { forwardCall } from "./forward-call.ts";
import { sendNoAnswer, sendRefusal } from "./refusal.ts";
import type { Route } from "./routes.ts";
import type { RunLedger, RunUsage } from "./run-ledger.ts";
import type { Upstream } from "./upstream.ts";

/** An agent with many helpers has a dozen calls under way. Each may overshoot the budget by one answer. */
const CALLS_AT_ONCE_MAX = 64;

/** No answer takes longer, however slowly it drips. */
const CALL_MS_MAX = 3_600_000;

interface CallUnderWay {
  readonly response: ServerResponse;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** The calls of one run, from its start to its end. */
export class OpenRun {
  readonly #ledger: RunLedger;
  readonly #upstream: Upstream;
  readonly #onCount: () => void;
  readonly #calls = new Set<CallUnderWay>();

  constructor(ledger: RunLedger, upstream: Upstream, onUsage: ((usage: RunUsage) => void) | undefined) {
    this.#ledger = ledger;
    this.#upstream = upstream;
    this.#onCount = () => onUsage?.(ledger.usage());
  }

  usage(): RunUsage {
    return this.#ledger.usage();
  }

  /** Answers one request of the agent, from the API or with a refusal. */
  serve(route: Route, request: IncomingMessage, response: ServerResponse): void {
    const refusal = this.#ledger.refusal();
    if (refusal !== null) sendRefusal(response, refusal);
    else if (this.#calls.size >= CALLS_AT_ONCE_MAX) sendNoAnswer(response, `more than ${CALLS_AT_ONCE_MAX} calls at once`);
    else {
      const stop = new AbortController();
      const call = { response, stop, done: this.#forward(route, request, response, stop) };
      this.#calls.add(call);
      call.done.finally(() => this.#calls.delete(call));
    }
  }

  async #forward(route: Route, request: IncomingMessage, response: ServerResponse, stop: AbortController): Promise<void> {
    const { signal } = stop;
    const call = { route, request, response, signal, ledger: this.#ledger, upstream: this.#upstream, onCount: this.#onCount };
    const forwarded = forwardCall(call).catch((error: unknown) => {
      // A fault of ours, or of onUsage. It ends this run alone, and shows as the agent's error and in usage().
      const refusal = this.#ledger.refuse({ kind: "network", message: `the gateway failed (${faultName(error)})` });
      if (response.headersSent) response.destroy();
      else sendRefusal(response, refusal);
    });
    try {
      await within(CALL_MS_MAX, forwarded);
    } catch {
      stop.abort();
      await forwarded;
    }
  }

  /**
   * Hangs up on the agent, reads the answers under way to their end so that they are counted, for `waitMs` at most, and
   * gives what the run used in all.
   */
  async end(waitMs: number): Promise<RunUsage> {
    const calls = [...this.#calls];
    for (const { response } of calls) response.destroy();
    const done = Promise.all(calls.map((call) => call.done));
    try {
      await within(waitMs, done);
    } catch {
      for (const { stop } of calls) stop.abort();
      await done;
    }
    return this.usage();
  }
}
