import { faultName, readUpTo, retryAfterMs } from "../../http/http-answer.ts";
import { apiError, objectIn } from "./answer.ts";
import { parsed } from "./answer-reader.ts";
import { kindOfError } from "./api-error.ts";
import type { Call } from "./call.ts";
import type { Failure } from "./failure.ts";
import { sendRefusal } from "./refusal.ts";
import type { ApiAnswer } from "./unpack.ts";

/** An error is a few hundred bytes; a proxy's page is not read to its end. */
const ERROR_BYTES_MAX = 64 * 1024;

/**
 * Hands an error of the API to the agent, unless it ends the run: then the agent is told so instead. Gives the failure
 * where the error itself did not come through, and nothing has been answered.
 */
export async function passError(call: Call, { statusCode, headers, body }: ApiAnswer): Promise<Failure | null> {
  const { response, ledger, upstream } = call;
  let answer: string;
  try {
    answer = await readUpTo(ERROR_BYTES_MAX, body);
  } catch (error) {
    return { kind: "network", what: faultName(error) };
  }
  const error = objectIn(parsed(answer) ?? {}, "error") ?? {};
  const kind = kindOfError(apiError(error, statusCode));
  const refusal = ledger.fail({
    kind,
    what: `HTTP ${statusCode}`,
    status: statusCode,
    retryAfterMs: retryAfterMs(headers["retry-after"]),
  });
  if (refusal !== null) {
    sendRefusal(response, refusal);
    return null;
  }
  const { "content-length": _, ...kept } = upstream.headersForAgent(headers);
  response.writeHead(statusCode, kept).end(upstream.withoutKey(answer));
  return null;
}
