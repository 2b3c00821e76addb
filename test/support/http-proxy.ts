import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface HttpProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Where it was asked to go, as `host:port` or as a whole address. */
  readonly targets: readonly string[];
  down(): Promise<void>;
}

/** A proxy on loopback that tunnels (CONNECT) and forwards whatever it is asked to. */
export async function startHttpProxy(): Promise<HttpProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const target = request.url ?? "";
    targets.push(target);
    const forwarded = httpRequest(target, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded.on("error", () => response.destroy()));
  });
  server.on("connect", (request, client: Socket, head: Buffer) => {
    const target = request.url ?? "";
    targets.push(target);
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect(Number(port || 80), hostname, () => {
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
    async down() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}
