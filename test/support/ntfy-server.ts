import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { PublishFault, SubscribeFault } from "./ntfy-fault.ts";
import { type NtfyError, type NtfyMessage, ntfyError, since } from "./ntfy-message.ts";
import { isNtfyError, type Publication, publicationOfBody, publicationOfJson, TOPIC } from "./ntfy-publication.ts";

export interface NtfyServerOptions {
  /** Unix seconds. */
  readonly now?: () => number;
  /** 0 for a free one. */
  readonly port?: number;
  /** With attachments a message that is too long becomes one, under a 200; without, it is refused. */
  readonly attachments?: boolean;
  /** Authorization headers that are good, like `Bearer tk_…`; given, topics are closed to everyone else. */
  readonly authorizations?: readonly string[];
  /** Requests before 429/42901, and messages before 429/42908. */
  readonly requestsMax?: number;
  readonly messagesMax?: number;
  /** How long a message stays in the cache. */
  readonly cacheSeconds?: number;
  readonly keepaliveMs?: number;
}

export interface RecordedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const TWELVE_HOURS = 12 * 3600;
const KEEPALIVE_MS = 45_000;

/** A server that does what ntfy does on the wire, and misbehaves when it is told to. It follows ntfy 2.13 to 2.28. */
export class NtfyServer {
  readonly requests: RecordedRequest[] = [];
  /** Requests that were taken and not answered to their end. */
  open = 0;
  openMost = 0;
  keepalives = 0;
  /** Looks at each message that is taken, before its publisher hears of that. */
  onMessage: (message: NtfyMessage) => void = () => undefined;
  readonly #options: NtfyServerOptions;
  readonly #cache: NtfyMessage[] = [];
  readonly #publishFaults: PublishFault[] = [];
  readonly #subscribeFaults: SubscribeFault[] = [];
  readonly #subscribers = new Map<ServerResponse, { readonly topic: string; readonly times: number }>();
  readonly #sockets = new Set<Socket>();
  readonly #happened = new EventEmitter();
  #server: Server | undefined;
  #port: number;
  #requestCount = 0;
  #messageCount = 0;
  #idCount = 0;
  /** Every server counts ids of its own: they say nothing to another one. */
  readonly #idPrefix = randomBytes(2).toString("hex");

  constructor(options: NtfyServerOptions = {}) {
    this.#options = options;
    this.#port = options.port ?? 0;
    this.#happened.setMaxListeners(0);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, the second time on the port of the first. */
  async up(): Promise<void> {
    const server = createServer((request, response) => void this.#handle(request, response));
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#changed();
      });
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** As a host that is down: connections are cut and refused. What is cached stays for {@link up}. */
  async down(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  /** The next publishes go wrong like this, in turn. */
  orderPublish(fault: PublishFault, times = 1): void {
    for (let i = 0; i < times; i++) this.#publishFaults.push(fault);
  }

  /** The next polls and streams go wrong like this, in turn. */
  orderSubscribe(fault: SubscribeFault, times = 1): void {
    for (let i = 0; i < times; i++) this.#subscribeFaults.push(fault);
  }

  /** What is cached of a topic, oldest first. */
  messages(topic: string): readonly NtfyMessage[] {
    const { cacheSeconds = TWELVE_HOURS } = this.#options;
    return this.#cache.filter((message) => message.topic === topic && message.time > this.#now() - cacheSeconds);
  }

  /** Forgets its cache, as a restart of a server that caches in memory does. */
  forget(): void {
    this.#cache.length = 0;
  }

  /** Puts a message there without a request of its own. */
  post(topic: string, message: string): NtfyMessage {
    return this.#deliver({ topic, message });
  }

  /** Sends a line to the open streams of a topic as it is. */
  sendLine(topic: string, line: string): void {
    for (const [response, subscriber] of this.#subscribers) if (subscriber.topic === topic) response.write(`${line}\n`);
  }

  /** Ends or resets every open stream, as a restart or a proxy's limit does. */
  cutStreams(how: "end" | "reset"): void {
    for (const response of this.#subscribers.keys()) {
      // At once: what is posted now goes to the cache alone.
      this.#subscribers.delete(response);
      how === "end" ? response.end() : response.socket?.resetAndDestroy();
    }
  }

  get streamCount(): number {
    return this.#subscribers.size;
  }

  get connectionCount(): number {
    return this.#sockets.size;
  }

  /** Waits until something that the server sees holds; it looks again at each request, answer and connection. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#happened, "change");
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++;
    this.openMost = Math.max(this.openMost, this.open);
    response.once("close", () => {
      this.open--;
      this.#subscribers.delete(response);
      this.#changed();
    });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // The client went away in the middle of its request.
    }
    const body = Buffer.concat(chunks);
    const { method = "", url: path = "/", headers } = request;
    this.requests.push({ method, path, headers, body: body.toString("utf8") });
    const { pathname, searchParams } = new URL(path, this.url);
    const [, topic = "", kind] = /^\/([^/]*)(?:\/(json))?$/.exec(pathname) ?? [];
    const canBeRead = kind === "json" && TOPIC.test(topic) && !PAGES.includes(topic);
    if (method === "GET" && pathname === "/v1/health") json(response, 200, { healthy: true });
    else if (method === "POST" || method === "PUT") this.#publish(pathname, topic, body, headers, response);
    else if (method === "GET" && canBeRead) this.#subscribe(topic, searchParams, headers, response);
    else refuse(response, ntfyError(404, 40401, "page not found"));
    this.#changed();
  }

  #publish(pathname: string, topic: string, body: Buffer, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const fault = this.#publishFaults.shift();
    if (fault !== undefined && isAnswer(fault)) {
      const asked = publicationOfJson(body);
      if (fault.kind === "status" && fault.delivered && !isNtfyError(asked)) this.#deliver(asked);
      misbehave(response, fault);
      return;
    }
    const asked = this.#refusal(headers, pathname === "/" || TOPIC.test(topic)) ?? this.#accept(pathname, topic, body, headers);
    if (isNtfyError(asked)) {
      refuse(response, asked);
      return;
    }
    const message = this.#deliver(fault?.kind === "attachment" ? { ...asked, attachmentBytes: 5000 } : asked);
    json(response, 200, {
      ...message,
      ...(fault?.kind === "altered" && { message: `${message.message} ` }),
      ...(fault?.kind === "attachment-beside" && { attachment: { name: "a.txt" } }),
    });
  }

  /** Authorization comes before topic, rate and access, as in ntfy. */
  #refusal({ authorization }: IncomingHttpHeaders, isTopic: boolean): NtfyError | undefined {
    const { authorizations, requestsMax = Number.POSITIVE_INFINITY } = this.#options;
    if (authorizations !== undefined && authorization !== undefined && !authorizations.includes(authorization)) {
      return ntfyError(401, 40101, "unauthorized");
    }
    if (!isTopic) return ntfyError(404, 40401, "page not found");
    if (++this.#requestCount > requestsMax) return ntfyError(429, 42901, "limit reached: too many requests");
    return authorizations !== undefined && authorization === undefined ? ntfyError(403, 40301, "forbidden") : undefined;
  }

  /** After {@link #refusal}: form, daily quota and body. */
  #accept(pathname: string, topic: string, body: Buffer, headers: IncomingHttpHeaders): Publication | NtfyError {
    const { messagesMax = Number.POSITIVE_INFINITY, attachments = true } = this.#options;
    const asked = pathname === "/" ? publicationOfJson(body) : publicationOfBody(topic, body, headers);
    if (isNtfyError(asked)) return asked;
    if (++this.#messageCount > messagesMax) return ntfyError(429, 42908, "limit reached: daily message quota reached");
    if (asked.attachmentBytes === undefined || attachments) return asked;
    return ntfyError(400, 40014, "invalid request: attachments not allowed");
  }

  #deliver({ attachmentBytes, ...asked }: Publication): NtfyMessage {
    const time = this.#now();
    const id = `${this.#idPrefix}${String(++this.#idCount).padStart(8, "0")}`;
    const file = { name: "attachment.txt", type: "text/plain; charset=utf-8", url: `${this.url}/file/${id}.txt` };
    const message: NtfyMessage = {
      ...asked,
      id,
      time,
      expires: time + (this.#options.cacheSeconds ?? TWELVE_HOURS),
      event: "message",
      ...(attachmentBytes !== undefined && {
        message: `You received a file: ${file.name}`,
        attachment: { ...file, size: attachmentBytes },
      }),
    };
    // Subscribers are served before the cache is written, as in ntfy.
    for (const [response, { topic, times }] of this.#subscribers) {
      if (topic === message.topic) for (let i = 0; i < times; i++) response.write(line(message));
    }
    this.#cache.push(message);
    this.onMessage(message);
    return message;
  }

  #subscribe(topic: string, query: URLSearchParams, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const fault = this.#subscribeFaults.shift();
    if (fault !== undefined && isAnswer(fault)) {
      misbehave(response, fault);
      return;
    }
    const isPoll = query.get("poll") === "1";
    const asked = query.get("since") ?? (isPoll ? "all" : "none");
    const found = since(this.messages(topic), asked, this.#now()) ?? ntfyError(400, 40008, "invalid since parameter");
    const answer = this.#refusal(headers, true) ?? found;
    if (isNtfyError(answer)) refuse(response, answer);
    else this.#sendEvents(topic, isPoll, answer, fault, response);
  }

  #sendEvents(
    topic: string,
    isPoll: boolean,
    found: readonly NtfyMessage[],
    fault: SubscribeFault | undefined,
    response: ServerResponse,
  ): void {
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
    const event = (name: string): string => line({ id: "open00000000", time: this.#now(), event: name, topic });
    if (!isPoll) response.write(event("open"));
    if (fault?.kind === "silence") return;
    if (fault?.kind === "lines") for (const text of fault.lines) response.write(`${text}\n`);
    const cached = fault?.kind === "overlook" ? [] : fault?.kind === "reorder" ? found.toReversed() : found;
    const times = fault?.kind === "duplicate" ? 2 : 1;
    const lines = cached.flatMap((message) => Array.from({ length: times }, () => line(message)));
    if (fault?.kind === "truncate") {
      const last = lines.pop() ?? "";
      response.write(lines.join("") + last.slice(0, last.length / 2), () => response.socket?.resetAndDestroy());
      return;
    }
    response.write(lines.join(""));
    if (isPoll || fault?.kind === "end") {
      response.end();
      return;
    }
    this.#subscribers.set(response, { topic, times });
    const keepalive = setInterval(() => {
      response.write(event("keepalive"));
      this.keepalives++;
      this.#changed();
    }, this.#options.keepaliveMs ?? KEEPALIVE_MS);
    response.once("close", () => clearInterval(keepalive));
  }

  #now(): number {
    return this.#options.now?.() ?? Math.floor(Date.now() / 1000);
  }

  /** In a later turn, so that a waiter finds what the handler did. */
  #changed(): void {
    setImmediate(() => this.#happened.emit("change"));
  }
}

export async function startNtfyServer(options?: NtfyServerOptions): Promise<NtfyServer> {
  const server = new NtfyServer(options);
  await server.up();
  return server;
}

/** Topics that no message comes to, and whose addresses are ntfy's own pages. */
const PAGES = ["docs", "static", "file"];

type Answer = Exclude<PublishFault, { kind: "altered" | "attachment" | "attachment-beside" }>;

function isAnswer<Fault extends PublishFault | SubscribeFault>(fault: Fault): fault is Fault & Answer {
  return ["status", "hang", "half-answer", "reset", "html", "redirect"].includes(fault.kind);
}

function misbehave(response: ServerResponse, fault: Answer): void {
  switch (fault.kind) {
    case "status": {
      // A proxy in front of ntfy answers in its own words, and is the one that says Retry-After.
      const { status, retryAfter } = fault;
      if (retryAfter === undefined) refuse(response, ntfyError(status, status * 100 + 1, "as ordered"));
      else response.writeHead(status, { "content-type": "text/html", "retry-after": retryAfter }).end(PROXY_PAGE);
      return;
    }
    case "hang":
      return;
    case "half-answer":
      response.writeHead(200, { "content-type": "application/json" }).write('{"id":');
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "html":
      response.writeHead(200, { "content-type": "text/html" }).end(PROXY_PAGE);
      return;
    case "redirect":
      response.writeHead(302, { location: fault.to }).end();
      return;
  }
}

const PROXY_PAGE = "<html><body>\n<h1>Please sign in</h1>\n</body></html>\n";

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(line(value));
}

function refuse(response: ServerResponse, error: NtfyError): void {
  json(response, error.http, { ...error, link: "https://ntfy.sh/docs/publish/" });
}
