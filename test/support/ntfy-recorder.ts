import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseMail } from "../../src/mail/wake-mail.ts";

/** The least of an ntfy server: takes every mail, and keeps its attempt. */
export class NtfyRecorder implements AsyncDisposable {
  readonly #server: Server;
  readonly mails: string[] = [];
  /** Looks at each mail when it arrives, which is before the sender knows of it. */
  onMail: (attemptId: string, jobId: string) => void = () => undefined;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { message } = JSON.parse(Buffer.concat(chunks).toString());
      const mail = parseMail(message);
      if (mail !== undefined) {
        this.mails.push(mail.attempt_id);
        this.onMail(mail.attempt_id, mail.job_id);
      }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "m", message }));
    });
  }

  static async up(): Promise<NtfyRecorder> {
    const recorder = new NtfyRecorder();
    recorder.#server.listen(0, "127.0.0.1");
    await once(recorder.#server, "listening");
    return recorder;
  }

  /** The environment in which the command line mails to it. */
  get env() {
    return { HARNESS_WAKE_NTFY_URLS: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/fleet` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
