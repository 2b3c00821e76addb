import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** How a stand-in for Cursor's API behaves, as far as one comes without a key that opens anything. */
export type BackendManner = "hangs" | "refuses_the_key" | "knows_no_model";

export interface CursorBackend {
  readonly url: string;
  /** Method and path of each request. */
  readonly asked: readonly string[];
  /** When it was asked for the first time. */
  readonly firstAsked: Promise<unknown>;
}

/** Cursor's API on loopback; down when the test is over. */
export async function startCursorBackend(manner: BackendManner): Promise<CursorBackend> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => ANSWERS[manner](request, response));
  });
  const firstAsked = once(server, "request");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, firstAsked };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const ANSWERS = {
  hangs: () => undefined,
  refuses_the_key: (_request, response) => json(response, 401, { code: "unauthenticated", message: "Invalid API key" }),
  knows_no_model: ({ url = "", headers }, response) => {
    if (url.startsWith("/auth/")) return json(response, 200, { accessToken: "of-the-backend", refreshToken: "of-the-backend" });
    if (url.startsWith("/v1/models")) return json(response, 200, { items: [] });
    response.writeHead(200, { "content-type": headers["content-type"] ?? "application/proto" }).end();
  },
} as const satisfies Record<BackendManner, Answer>;

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
