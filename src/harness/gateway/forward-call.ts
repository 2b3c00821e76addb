import { faultName } from "../../http/http-answer.ts";
import type { Call } from "./call.ts";
import type { Failure } from "./failure.ts";
import { passAnswer } from "./pass-answer.ts";
import { passError } from "./pass-error.ts";
import { sendNoAnswer, sendRefusal } from "./refusal.ts";
import { bodyOf, RequestTooLarge } from "./request-body.ts";
import type { ApiAnswer } from "./unpack.ts";

/** Sends one call to the API and hands its answer to the agent as it comes. */
export async function forwardCall(call: Call): Promise<void> {
  const { route, request, response, ledger, upstream, signal } = call;
  let answer: ApiAnswer;
  ledger.begin();
  try {
    answer = await upstream.send(route, request.headers, bodyOf(request), signal);
  } catch (error) {
    if (error instanceof RequestTooLarge) sendRefusal(response, ledger.refuse({ kind: "context", message: error.message }));
    // The agent went away before it had said all, or the run is over: nobody is there to be answered.
    else if ((!request.complete && response.destroyed) || signal.aborted) response.destroy();
    else noAnswer(call, { kind: "network", what: faultName(error) });
    return;
  }
  const { statusCode, body } = answer;
  if (statusCode >= 200 && statusCode < 300) return passAnswer(call, answer);
  if (statusCode >= 400) {
    const failure = await passError(call, answer);
    if (failure !== null) noAnswer(call, failure);
    return;
  }
  body.on("error", () => undefined).destroy();
  const message = `the API's address answers with a redirect, which is not followed; correct it (HTTP ${statusCode})`;
  sendRefusal(response, ledger.refuse({ kind: "network", message }));
}

function noAnswer({ response, ledger }: Call, failure: Failure): void {
  const refusal = ledger.fail(failure);
  if (refusal === null) sendNoAnswer(response, `no answer from the API (${failure.what})`);
  else sendRefusal(response, refusal);
}
