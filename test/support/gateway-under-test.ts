import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import {
  type Gateway,
  type GatewayOptions,
  type GatewayRun,
  openGateway,
  type RunOptions,
} from "../../src/harness/gateway/gateway.ts";
import { HandClock } from "./hand-clock.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { inTurn, type ModelAnswer, type ModelFault } from "./model-server-answer.ts";

export const REAL_KEY = "sk-the-worker's-own-key";
export const PATHS = { messages: "/v1/messages", responses: "/v1/responses", chat: "/v1/chat/completions" } as const;

export interface GatewayUnderTest {
  readonly server: ModelServer;
  readonly gateway: Gateway;
  readonly clock: HandClock;
  startRun(options?: Partial<RunOptions>): GatewayRun;
}

/** A gateway before a model server that answers in turn, both closed when the test is done. Its time is moved by hand. */
export async function gatewayUnderTest(
  answers: readonly (ModelAnswer | ModelFault)[] = [],
  options: { readonly upstream?: Partial<GatewayOptions["upstream"]> } & Partial<Omit<GatewayOptions, "upstream">> = {},
): Promise<GatewayUnderTest> {
  const server = await startModelServer(answers.length === 0 ? undefined : inTurn(...answers));
  const clock = new HandClock();
  const upstream = { url: server.url, key: REAL_KEY, scheme: "x-api-key" as const, environment: {}, ...options.upstream };
  const gateway = await openGateway({ clock, ...options, upstream });
  onTestFinished(async () => {
    await gateway.close();
    await server.down();
  });
  return { server, gateway, clock, startRun: (more) => gateway.startRun({ budgetTokens: 1_000_000, ...more }) };
}

export interface Asking {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the body. */
  readonly body?: object | string | Buffer;
  /** What stands for the run's token. */
  readonly token?: string;
}

/** Sends what an agent might, down to the last byte of the request's target, which `fetch` would set right. */
export function send(run: GatewayRun, { path = PATHS.messages, method = "POST", headers = {}, body = {}, token }: Asking = {}) {
  const { hostname, port } = new URL(run.baseUrl);
  const sent = httpRequest({
    hostname,
    port,
    path,
    method,
    // A connection each, since some of these requests leave theirs unusable.
    agent: false,
    headers: { "content-type": "application/json", "x-api-key": token ?? run.token, ...headers },
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => sent.on("response", resolve).on("error", reject));
  // A test that hangs up does not want to hear of it.
  response.catch(() => undefined);
  sent.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  return { sent, response };
}

/** As an agent that dies. */
export async function hangUp(sent: ClientRequest): Promise<void> {
  const closed = new Promise((resolve) => sent.once("close", resolve));
  sent.destroy();
  await closed;
}

export interface Told {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Asks and reads the answer to its end. */
export async function ask(run: GatewayRun, asking?: Asking): Promise<Told> {
  const response = await send(run, asking).response;
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

export function errorOf({ body }: Told): { readonly type: string; readonly message: string } {
  return JSON.parse(body).error;
}
