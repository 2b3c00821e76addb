import type { Agent, request } from "undici";
import type { Clock } from "../facts/clock.ts";
import { pauseBetween } from "../facts/pause.ts";
import type { MailOutcome } from "../job/delivery.ts";
import type { Letter, Mailer } from "./mailer.ts";
import { type NtfyAddress, ntfyAddress } from "./ntfy-address.ts";

export interface NtfyMailerOptions {
  /** Topics in the order in which they are tried, like `https://ntfy.sh/my-topic`. */
  readonly urls: readonly string[];
  readonly token?: string | undefined;
  /** How long one host may take to answer. */
  readonly timeoutSeconds: number;
  readonly clock: Clock;
}

/** ntfy allows a burst of sixty requests; a few at once keep two hundred mails from taking two hundred round trips. */
const MAILS_AT_ONCE = 8;

/** The time that all mails of a pass have together, in time-outs of one host. Past it, mail stays owed for the next pass. */
const PASS_TIMEOUTS_MAX = 6;

/** How often one host is asked again for one mail. ntfy refills one request in five seconds. */
const TRIES_MAX = 3;
const RETRY_MS_LEAST = 250;
const RETRY_MS_MOST = 1_000;

/** ntfy answers with a few hundred bytes; a proxy's page is not read to its end. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** What one host made of one mail. */
type HostAnswer =
  | { readonly kind: "mailed"; readonly http_status: number }
  /** Asking again later may help. */
  | { readonly kind: "busy"; readonly http_status: number; readonly retryAfterMs: number | undefined }
  /** Asking again will not help; another host may. */
  | { readonly kind: "refused"; readonly http_status: number; readonly error: string }
  /** It did not answer: the pass does not wait for it again. */
  | { readonly kind: "silent"; readonly error: string };

/** Publishes to ntfy topics, each mail to the first host that takes it as it is (contract §4). */
export class NtfyMailer implements Mailer {
  readonly #addresses: readonly NtfyAddress[];
  readonly #timeoutMs: number;
  readonly #clock: Clock;

  /** Throws JobError CONFIG for an address that would carry a token in the clear. */
  constructor({ urls, token, timeoutSeconds, clock }: NtfyMailerOptions) {
    this.#addresses = urls.map((url) => ntfyAddress(url, token));
    this.#timeoutMs = timeoutSeconds * 1000;
    this.#clock = clock;
  }

  async send(letters: readonly Letter[]): Promise<ReadonlyMap<string, MailOutcome>> {
    const outcomes = new Map<string, MailOutcome>();
    const { Agent, request } = await import("undici");
    const agent = new Agent({ connect: { timeout: this.#timeoutMs }, connections: MAILS_AT_ONCE });
    const pass: Pass = {
      agent,
      request,
      silent: new Map(),
      endsAt: this.#clock.monotonic() + PASS_TIMEOUTS_MAX * this.#timeoutMs,
    };
    const queue = letters.values();
    const lane = async (): Promise<void> => {
      for (const letter of queue) {
        if (this.#msLeft(pass) <= 0) return;
        const outcome = await this.#sendOne(letter, pass);
        if (outcome !== undefined) outcomes.set(letter.attempt_id, outcome);
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(MAILS_AT_ONCE, letters.length) }, lane));
    } finally {
      await agent.destroy();
    }
    return outcomes;
  }

  /** Tries the hosts in order. Undefined where the pass's time was over before any of them was asked. */
  async #sendOne(letter: Letter, pass: Pass): Promise<MailOutcome | undefined> {
    let failure: MailOutcome | undefined;
    for (const address of this.#addresses) {
      const { host } = address;
      const silence = pass.silent.get(host);
      if (silence !== undefined) {
        failure ??= { carrier: "FAILED", host, http_status: null, error: `left out for this pass: ${silence}` };
        continue;
      }
      if (this.#msLeft(pass) <= 0) break;
      const answer = await this.#askHost(address, letter, pass);
      if (answer.kind === "mailed") return { carrier: "MAIL", host, http_status: answer.http_status };
      if (answer.kind === "silent") pass.silent.set(host, answer.error);
      failure = failureOf(host, answer);
    }
    return failure;
  }

  async #askHost(address: NtfyAddress, letter: Letter, pass: Pass): Promise<HostAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#post(address, letter, pass);
      if (answer.kind !== "busy" || tries === TRIES_MAX) return answer;
      const pauseMs = answer.retryAfterMs ?? RETRY_MS_LEAST * 2 ** (tries - 1);
      if (pauseMs + RETRY_MS_MOST > this.#msLeft(pass)) return answer;
      await pauseBetween(pauseMs, pauseMs + RETRY_MS_MOST);
    }
  }

  async #post({ origin, topic, authorization }: NtfyAddress, letter: Letter, pass: Pass): Promise<HostAnswer> {
    const timeoutMs = Math.min(this.#timeoutMs, this.#msLeft(pass));
    try {
      const { statusCode, headers, body } = await pass.request(`${origin}/`, {
        method: "POST",
        // As a JSON body, since headers cannot carry every title.
        headers: { "content-type": "application/json", ...(authorization !== undefined && { authorization }) },
        body: JSON.stringify({
          topic,
          message: letter.message,
          title: letter.title,
          tags: letter.tags,
          priority: letter.priority,
        }),
        dispatcher: pass.agent,
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs))),
      });
      const text = await readUpTo(ANSWER_BYTES_MAX, body);
      return judge(statusCode, headers["retry-after"], text, letter);
    } catch (error) {
      return { kind: "silent", error: nameOf(error) };
    }
  }

  #msLeft(pass: Pass): number {
    return pass.endsAt - this.#clock.monotonic();
  }
}

interface Pass {
  readonly agent: Agent;
  readonly request: typeof request;
  /** Hosts that did not answer, and why: left out for the rest of the pass. */
  readonly silent: Map<string, string>;
  /** Monotonic ms. */
  readonly endsAt: number;
}

/** A 200 is a mail only where the message came through as it was sent, and not as an attachment. */
function judge(status: number, retryAfter: string | string[] | undefined, text: string, letter: Letter): HostAnswer {
  if (status === 200) {
    const isAsSent = messageOf(text) === letter.message;
    return isAsSent
      ? { kind: "mailed", http_status: status }
      : { kind: "refused", http_status: status, error: "answered 200 without the message as it was sent" };
  }
  if (status === 429 || status >= 500) return { kind: "busy", http_status: status, retryAfterMs: secondsToMs(retryAfter) };
  return { kind: "refused", http_status: status, error: `HTTP ${status}` };
}

function messageOf(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== "object" || answer === null || !("message" in answer) || "attachment" in answer) return undefined;
    return typeof answer.message === "string" ? answer.message : undefined;
  } catch {
    return undefined;
  }
}

/** Retry-After in seconds; the other form, a date, is not worth a clock. */
function secondsToMs(header: string | string[] | undefined): number | undefined {
  return typeof header === "string" && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function failureOf(host: string, answer: Exclude<HostAnswer, { kind: "mailed" }>): MailOutcome {
  switch (answer.kind) {
    case "busy":
      return { carrier: "FAILED", host, http_status: answer.http_status, error: `HTTP ${answer.http_status}` };
    case "refused":
      return { carrier: "FAILED", host, http_status: answer.http_status, error: answer.error };
    case "silent":
      return { carrier: "FAILED", host, http_status: null, error: answer.error };
  }
}

async function readUpTo(bytesMax: number, body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What went wrong with a connection, by its code: messages may quote what must not be kept. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError") return "timed out";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
