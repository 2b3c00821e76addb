import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { PublishFault, SubscribeFault } from "./ntfy-fault.ts";
import type { NtfyMessage } from "./ntfy-message.ts";
import type { NtfyServerOptions, RecordedRequest } from "./ntfy-server.ts";

const PROGRAM = fileURLToPath(new URL("ntfy-server-process.ts", import.meta.url));

/** The test ntfy server in a process of its own. */
export interface NtfyProcess {
  readonly url: string;
  orderPublish(fault: PublishFault, times?: number): Promise<void>;
  orderSubscribe(fault: SubscribeFault, times?: number): Promise<void>;
  post(topic: string, message: string): Promise<NtfyMessage>;
  requests(): Promise<readonly RecordedRequest[]>;
  messages(topic: string): Promise<readonly NtfyMessage[]>;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

export async function startNtfyProcess(options: Omit<NtfyServerOptions, "now"> = {}): Promise<NtfyProcess> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const hear = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the test ntfy server ended");
    return JSON.parse(value);
  };
  // Answers come in the order of the questions, so one question waits for the one before.
  let last: Promise<unknown> = Promise.resolve();
  const ask = (order: object): Promise<unknown> => {
    last = last.then(() => {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      return hear();
    });
    return last;
  };
  const { url } = (await hear()) as { readonly url: string };
  return {
    url,
    orderPublish: async (publish, times = 1) => void (await ask({ publish, times })),
    orderSubscribe: async (subscribe, times = 1) => void (await ask({ subscribe, times })),
    post: async (topic, message) => (await ask({ post: { topic, message } })) as NtfyMessage,
    requests: async () => (await ask({ requests: true })) as readonly RecordedRequest[],
    messages: async (topic) => (await ask({ messages: topic })) as readonly NtfyMessage[],
    down: async () => void (await ask({ down: true })),
    up: async () => void (await ask({ up: true })),
    stop: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}
