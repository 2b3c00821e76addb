import { parseMail } from "../../src/mail/wake-mail.ts";
import { NtfyServer } from "./ntfy-server.ts";

const TOPIC = "fleet";

/** The test ntfy server as the one host of a fleet, for tests that ask which attempts were mailed. */
export class NtfyRecorder implements AsyncDisposable {
  readonly #server = new NtfyServer();
  /** Looks at each mail when it arrives, which is before the sender knows of it. */
  onMail: (attemptId: string, jobId: string) => void = () => undefined;

  static async up(): Promise<NtfyRecorder> {
    const recorder = new NtfyRecorder();
    recorder.#server.onMessage = ({ message }) => {
      const mail = parseMail(message);
      if (mail !== undefined) recorder.onMail(mail.attempt_id, mail.job_id);
    };
    await recorder.#server.up();
    return recorder;
  }

  /** The attempts that were mailed, in order. */
  get mails(): readonly string[] {
    return this.#server.messages(TOPIC).map(({ message }) => parseMail(message)?.attempt_id ?? message);
  }

  /** Forgets what was mailed until now. */
  forget(): void {
    this.#server.forget();
  }

  /** The environment in which the command line mails to it. */
  get env() {
    return { HARNESS_WAKE_NTFY_URLS: `${this.#server.url}/${TOPIC}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.down();
  }
}
