import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname } from "node:path";
import { GIT_ENV } from "./git.ts";
import type { GitRemote } from "./git-remote.ts";

/**
 * - drop_before: the connection breaks before anything happened.
 * - drop_answer: git did what it was asked, and its answer never arrives.
 * - refuse: 403, as for a token that may only read.
 * - late: git does what it was asked once `whenLate` is over, whether somebody still waits for it or not.
 * - doubled: the request arrives twice, as from a proxy that tries again; the second answer is given.
 */
export type HttpFault = "drop_before" | "drop_answer" | "refuse" | "late" | "doubled";

/** `fetch` is any request that reads, `push` the one that brings the objects and moves the ref. */
export type HttpErrand = "fetch" | "push";

/** A remote behind git's own smart HTTP on loopback, with faults to order. */
export class GitHttpServer implements AsyncDisposable {
  readonly #remote: Pick<GitRemote, "directory">;
  readonly #server: Server;
  #orders: { readonly errand: HttpErrand; readonly fault: HttpFault; times: number }[] = [];
  /** What was asked, faults and all. */
  readonly errands: HttpErrand[] = [];

  private constructor(remote: Pick<GitRemote, "directory">) {
    this.#remote = remote;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async over(remote: Pick<GitRemote, "directory">): Promise<GitHttpServer> {
    const server = new GitHttpServer(remote);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${basename(this.#remote.directory)}`;
  }

  /** What happens once a push has been taken, before its answer leaves. */
  onPushed: () => void = () => undefined;

  /** What happens when something is asked for, before anything is done. */
  onAsked: (errand: HttpErrand) => void = () => undefined;

  /** The fault that a request meets for which none was ordered. */
  otherwise: (errand: HttpErrand) => HttpFault | undefined = () => undefined;

  /** What a request has to show as its Authorization, where anything: all others meet a 401. */
  authorization: string | undefined;

  /** How long what is late takes. */
  whenLate: () => Promise<void> = async () => undefined;

  /** The next requests of this kind meet the fault. */
  order(fault: HttpFault, errand: HttpErrand, times = Number.POSITIVE_INFINITY): void {
    this.#orders.push({ errand, fault, times });
  }

  mend(): void {
    this.onPushed = () => undefined;
    this.#orders = [];
  }

  #faultFor(errand: HttpErrand): HttpFault | undefined {
    const order = this.#orders.find((candidate) => candidate.errand === errand && candidate.times > 0);
    if (order === undefined) return this.otherwise(errand);
    order.times--;
    return order.fault;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? "/", "http://loopback");
    const errand = request.method === "POST" && pathname.endsWith("/git-receive-pack") ? "push" : "fetch";
    this.errands.push(errand);
    this.onAsked(errand);
    const fault = this.#faultFor(errand);
    if (fault === "drop_before") return void request.socket.destroy();
    if (this.authorization !== undefined && request.headers.authorization !== this.authorization) {
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    }
    if (fault === "refuse") return void response.writeHead(403).end("read only\n");
    const body = Buffer.concat(await Array.fromAsync(request));
    if (fault === "late") await this.whenLate();
    if (fault === "doubled") await this.#runBackend(request, body, pathname, search);
    const answer = await this.#runBackend(request, body, pathname, search);
    if (errand === "push") this.onPushed();
    if (fault === "drop_answer") return void request.socket.destroy();
    const headEnd = answer.indexOf("\r\n\r\n");
    const headers = answer
      .toString("latin1", 0, headEnd)
      .split("\r\n")
      .map((line) => line.split(": ") as [string, string]);
    const status = headers.find(([name]) => name === "Status")?.[1];
    response.writeHead(
      status === undefined ? 200 : Number.parseInt(status, 10),
      headers.filter(([name]) => name !== "Status").flat(),
    );
    response.end(answer.subarray(headEnd + 4));
  }

  async #runBackend(request: IncomingMessage, body: Buffer, pathname: string, search: string): Promise<Buffer> {
    const { headers } = request;
    const backend = spawn("git", ["http-backend"], {
      env: {
        ...GIT_ENV,
        GIT_PROJECT_ROOT: dirname(this.#remote.directory),
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: headers["content-type"] ?? "",
        CONTENT_LENGTH: String(body.length),
        ...(headers["content-encoding"] !== undefined && { HTTP_CONTENT_ENCODING: headers["content-encoding"] }),
        ...(typeof headers["git-protocol"] === "string" && { GIT_PROTOCOL: headers["git-protocol"] }),
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    backend.stdin.on("error", () => undefined).end(body);
    const chunks: Buffer[] = [];
    for await (const chunk of backend.stdout) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
