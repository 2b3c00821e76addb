import type { ServerResponse } from "node:http";
import { within } from "../../facts/pause.ts";
import { faultName } from "../../http/http-answer.ts";
import { AnswerReader } from "./answer-reader.ts";
import type { Call } from "./call.ts";
import type { ApiAnswer } from "./unpack.ts";

/** An agent that lives but takes nothing for so long is hung up on, and its answer is read on without it. */
const STALLED_MS_MAX = 600_000;

/** The APIs answer with JSON and event streams, proxies and sign-in pages with HTML. */
const OF_AN_API = /^(?:application\/json|text\/event-stream)\b/i;

/** Hands an answer to the agent as it comes, and counts it; to its end, also when the agent goes away. */
export async function passAnswer(call: Call, { statusCode, headers, body }: ApiAnswer): Promise<void> {
  const { route, response, ledger, upstream, signal, onCount } = call;
  const contentType = String(headers["content-type"] ?? "");
  const reader = new AnswerReader(route.api, contentType);
  const account = ledger.open();
  const tell = (): void => {
    if (account.tell(reader.answer)) onCount();
  };
  // The length is left out, so that the agent sees the end of a body only after it is counted.
  const { "content-length": _, ...kept } = upstream.headersForAgent(headers);
  response.writeHead(statusCode, kept);
  response.flushHeaders();
  try {
    for await (const chunk of body) {
      reader.feed(chunk);
      tell();
      if (!response.destroyed && !response.write(chunk)) await taken(response);
    }
    reader.end();
    tell();
    account.settle();
    if (OF_AN_API.test(contentType)) ledger.answered(reader.answer.error);
    else ledger.fail({ kind: "network", what: "not the API's own answer; is a proxy in between?" });
    response.end();
  } catch (error) {
    // The agent sees what we saw: an answer that breaks off.
    response.destroy();
    account.settle();
    if (!signal.aborted) ledger.fail({ kind: "network", what: faultName(error) });
  }
  onCount();
}

/** Waits until the agent has taken what was written, or is gone. */
async function taken(response: ServerResponse): Promise<void> {
  let isTaken = (): void => undefined;
  const change = new Promise<void>((resolve) => {
    isTaken = resolve;
  });
  response.on("drain", isTaken).on("close", isTaken);
  try {
    await within(STALLED_MS_MAX, change);
  } catch {
    response.destroy();
  } finally {
    response.off("drain", isTaken).off("close", isTaken);
  }
}
