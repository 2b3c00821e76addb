import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { inTurn, type ModelAnswer, type ModelFault, type ModelScript, say } from "./model-server-answer.ts";
import { type AskedModel, askedModel } from "./model-server-request.ts";
import { wireAnswer } from "./model-server-wire.ts";

/** A server that answers as the APIs of models do, from a script, and misbehaves when it is told to. Loopback alone. */
export class ModelServer {
  readonly asked: AskedModel[] = [];
  /** What it answers from now on. */
  script: ModelScript;
  /** Answers that were read to their end, and those whose reader hung up. */
  finished = 0;
  hungUp = 0;
  eventsSent = 0;
  readonly #server: Server;
  readonly #happened = new EventEmitter();
  #port = 0;
  #modelCalls = 0;

  constructor(script: ModelScript) {
    this.script = script;
    this.#happened.setMaxListeners(0);
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  /** `http://127.0.0.1:<port>`, without `/v1`. It stays when the server is down. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Cuts what is open, and listens no more. */
  async down(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  /** Waits until something that the server sees holds; it looks again at each request and each end of an answer. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#happened, "change");
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response
      .on("error", () => undefined)
      .on("close", () => {
        response.writableFinished ? this.finished++ : this.hungUp++;
        this.#changed();
      });
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const asked = askedModel(request.method ?? "", request.url ?? "", request.headers, body);
    this.asked.push(asked);
    this.#changed();
    const { api } = asked;
    if (api === undefined) json(response, 404, { type: "error", error: { type: "not_found_error", message: "no such path" } });
    else if (api === "count_tokens") await answer(asked, api, say(""), "count", response);
    else {
      const count = this.#modelCalls++;
      const step = this.script(asked, count);
      if (step.kind === "answer") await answer(asked, api, step, `id${count}`, response, () => this.eventsSent++);
      else misbehave(asked, step, response);
    }
  }

  #changed(): void {
    // In a later turn, so that a waiter finds what the handler did.
    setImmediate(() => this.#happened.emit("change"));
  }
}

export async function startModelServer(script: ModelScript = inTurn(say("done"))): Promise<ModelServer> {
  const server = new ModelServer(script);
  await server.up();
  return server;
}

async function answer(
  asked: AskedModel,
  api: NonNullable<AskedModel["api"]>,
  step: ModelAnswer,
  id: string,
  response: ServerResponse,
  onEvent = (): unknown => undefined,
): Promise<void> {
  const { events, body } = wireAnswer(api, asked, step, id);
  const { isPacked = false, after } = step;
  const type = asked.isStreamed ? "text/event-stream; charset=utf-8" : "application/json";
  const headers = { "content-type": type, "request-id": `req-${id}`, ...(isPacked && { "content-encoding": "gzip" }) };
  if (isPacked || !asked.isStreamed) {
    const whole = asked.isStreamed ? events.join("") : JSON.stringify(body);
    const bytes = isPacked ? gzipSync(whole) : Buffer.from(whole);
    response.writeHead(200, { ...headers, "content-length": bytes.length }).end(bytes);
    return;
  }
  response.writeHead(200, headers);
  response.flushHeaders();
  for (const [i, event] of events.entries()) {
    if (i === after?.events) {
      if (after.next === "end") break;
      if (after.next === "cut") {
        response.socket?.resetAndDestroy();
        return;
      }
      if (after.next === "overloaded") {
        const error = { type: "error", error: { type: "overloaded_error", message: "as ordered" } };
        response.write(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
        break;
      }
      await after.next;
    }
    // One packet each, as an API sends them.
    await new Promise((resolve) => response.write(event, resolve));
    onEvent();
  }
  response.end();
}

function misbehave(asked: AskedModel, fault: ModelFault, response: ServerResponse): void {
  switch (fault.kind) {
    case "status": {
      const { status, code = "scripted", message = `as ordered: ${status}`, headers = {} } = fault;
      json(response, status, { type: "error", error: { type: code, code, message } }, headers);
      return;
    }
    case "hang":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "html":
      response.writeHead(200, { "content-type": "text/html" }).end("<html><body>\n<h1>Please sign in</h1>\n</body></html>\n");
      return;
    case "redirect":
      response.writeHead(307, { location: fault.to }).end();
      return;
    case "echo":
      json(
        response,
        400,
        { type: "error", error: { type: "invalid_request_error", message: JSON.stringify(asked.headers) } },
        {
          "x-echo": JSON.stringify(asked.headers),
        },
      );
      return;
  }
}

function json(response: ServerResponse, status: number, value: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}
