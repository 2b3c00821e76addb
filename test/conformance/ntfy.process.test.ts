import { expect, test } from "vitest";
import { startNtfyProcess } from "../support/ntfy-process.ts";

test("the test server as a process takes orders and tells what came in", async () => {
  const server = await startNtfyProcess();
  const publish = () => fetch(server.url, { method: "POST", body: JSON.stringify({ topic: "t", message: "x" }) });
  try {
    await server.orderPublish({ kind: "status", status: 500, delivered: true });
    const refused = await publish();
    expect([refused.status, await refused.json()]).toMatchObject([500, { code: 50001 }]);
    expect(await server.messages("t")).toMatchObject([{ message: "x" }]);
    expect(await server.requests()).toMatchObject([{ method: "POST", path: "/" }]);
    await server.down();
    await expect(publish()).rejects.toThrow();
    await server.up();
    expect((await publish()).status).toBe(200);
  } finally {
    await server.stop();
  }
});
