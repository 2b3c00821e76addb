import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface HttpProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Where it was asked to go, as `host:port` or as a whole address. */
  readonly targets: readonly string[];
  /** The Proxy-Authorization that came with each. */
  readonly authorizations: readonly (string | undefined)[];
  down(): Promise<void>;
}

export interface HttpProxyOptions {
  /** The port on loopback that names under `.invalid` lead to. */
  readonly behind?: number;
  /** The status that everything is refused with. */
  readonly refusal?: number;
}

/** A proxy on loopback that tunnels (CONNECT) and forwards whatever it is asked to. */
export async function startHttpProxy({ behind, refusal }: HttpProxyOptions = {}): Promise<HttpProxy> {
  const targets: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const placeOf = (url: URL): { readonly host: string; readonly port: number } =>
    behind !== undefined && url.hostname.endsWith(".invalid")
      ? { host: "127.0.0.1", port: behind }
      : { host: url.hostname, port: Number(url.port || 80) };
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const target = request.url ?? "";
    targets.push(target);
    authorizations.push(request.headers["proxy-authorization"]);
    if (refusal !== undefined) {
      response.writeHead(refusal).end();
      return;
    }
    const url = new URL(target);
    const { method, headers } = request;
    const forwarded = httpRequest({ ...placeOf(url), path: url.pathname + url.search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded.on("error", () => response.destroy()));
  });
  server.on("connect", (request, client: Socket, head: Buffer) => {
    const target = request.url ?? "";
    targets.push(target);
    authorizations.push(request.headers["proxy-authorization"]);
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
      return;
    }
    const upstream = connect(placeOf(new URL(`http://${target}`)), () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy()).on("close", () => sockets.delete(one));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    authorizations,
    async down() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}
