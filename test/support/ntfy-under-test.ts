import { randomBytes } from "node:crypto";
import { startNtfyServer } from "./ntfy-server.ts";

/** Where tests that order no faults may publish and subscribe. */
export interface NtfyUnderTest {
  /** Without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/** A real server where HARNESS_WAKE_TEST_NTFY names one; else the test server. */
export async function ntfyUnderTest(): Promise<NtfyUnderTest> {
  const real = process.env["HARNESS_WAKE_TEST_NTFY"];
  if (real) return { url: real.replace(/\/+$/, ""), close: async () => {} };
  const server = await startNtfyServer();
  return { url: server.url, close: () => server.down() };
}

/** A topic that nobody else uses, on a real server too. */
export function freshTopic(): string {
  return `harness-wake-test-${randomBytes(8).toString("hex")}`;
}
