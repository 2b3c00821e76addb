// The test ntfy server as a process of its own, for end-to-end tests: prints its url on the first line of stdout. Whoever
// started it orders faults, and asks what came in, by a JSON line on stdin; each line is answered by one line:
//   {"publish": {fault}, "times": 3}   {"subscribe": {fault}}   {"post": {"topic", "message"}}   {"requests": true}
//   {"messages": topic}   {"down": true}   {"up": true}
// It ends when its stdin does, so that it never outlives a test.
import { createInterface } from "node:readline";
import type { PublishFault, SubscribeFault } from "./ntfy-fault.ts";
import { type NtfyServerOptions, startNtfyServer } from "./ntfy-server.ts";

interface Order {
  readonly publish?: PublishFault;
  readonly subscribe?: SubscribeFault;
  readonly times?: number;
  readonly post?: { readonly topic: string; readonly message: string };
  readonly requests?: true;
  readonly messages?: string;
  readonly down?: true;
  readonly up?: true;
}

const options: NtfyServerOptions = JSON.parse(process.argv[2] ?? "{}");
const server = await startNtfyServer(options);
say({ url: server.url });

for await (const text of createInterface({ input: process.stdin })) say(await follow(JSON.parse(text)));
process.exit(0);

async function follow(order: Order): Promise<unknown> {
  if (order.publish !== undefined) server.orderPublish(order.publish, order.times);
  if (order.subscribe !== undefined) server.orderSubscribe(order.subscribe, order.times);
  if (order.post !== undefined) return server.post(order.post.topic, order.post.message);
  if (order.requests !== undefined) return server.requests;
  if (order.messages !== undefined) return server.messages(order.messages);
  if (order.down !== undefined) await server.down();
  if (order.up !== undefined) await server.up();
  return { ok: true };
}

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
