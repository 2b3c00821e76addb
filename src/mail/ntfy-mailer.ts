import type { Dispatcher, request } from "undici";
import type { Clock } from "../facts/clock.ts";
import { type Pause, pauseBetween } from "../facts/pause.ts";
import { faultName, readUpTo, retryAfterMs } from "../http/http-answer.ts";
import { NO_PROXIES, type Proxies } from "../http/proxies.ts";
import type { MailOutcome } from "../job/moves/delivery.ts";
import type { Letter, Mailer } from "./mailer.ts";
import { type NtfyAddress, ntfyAddress } from "./ntfy-address.ts";

export interface NtfyMailerOptions {
  /** Topics in the order in which they are tried, like `https://ntfy.sh/my-topic`. */
  readonly urls: readonly string[];
  readonly token?: string | undefined;
  /** Default: no proxy, even if the process's environment names one. */
  readonly proxies?: Proxies | undefined;
  /** How long one host may take to answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly pause?: Pause;
}

/** Mails under way at once. ntfy allows a burst of sixty requests; one at a time would make 200 mails take 200 round trips. */
export const MAILS_AT_ONCE = 8;

/** The time for all mails of a pass, in time-outs of one host. Mail that it does not reach stays owed. */
export const PASS_TIMEOUTS_MAX = 6;

/** How often one host is asked for one mail. ntfy allows one more request every five seconds. */
export const TRIES_MAX = 3;
const RETRY_MS_LEAST = 250;
const RETRY_MS_MOST = 1_000;

/** ntfy answers with a few hundred bytes. The page of a proxy may be longer. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** The error of a letter that the pass had no time for (contract §4). */
export const NOT_REACHED = "not reached";

/** What one host did with one mail. */
type HostAnswer =
  | { readonly kind: "mailed"; readonly http_status: number }
  /** Asking again later may help. */
  | { readonly kind: "busy"; readonly http_status: number; readonly retryAfterMs: number | undefined }
  /** Asking again will not help; another host may. */
  | { readonly kind: "refused"; readonly http_status: number; readonly error: string }
  /** It did not answer. The rest of the pass skips it. */
  | { readonly kind: "silent"; readonly error: string };

/** Publishes each mail to the first ntfy host that takes it unchanged (contract §4). */
export class NtfyMailer implements Mailer {
  readonly #addresses: readonly NtfyAddress[];
  readonly #proxies: Proxies;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #pause: Pause;

  /** Throws JobError CONFIG for an address to which a token would be sent unencrypted. */
  constructor({ urls, token, proxies = NO_PROXIES, timeoutMs, clock, pause = pauseBetween }: NtfyMailerOptions) {
    this.#addresses = urls.map((url) => ntfyAddress(url, token));
    this.#proxies = proxies;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#pause = pause;
  }

  async send(letters: readonly Letter[]): Promise<ReadonlyMap<string, MailOutcome>> {
    const outcomes = new Map<string, MailOutcome>();
    const { EnvHttpProxyAgent, request } = await import("undici");
    const connections = { connect: { timeout: this.#timeoutMs }, connections: MAILS_AT_ONCE };
    const agent = new EnvHttpProxyAgent({ ...this.#proxies, ...connections });
    const pass: Pass = {
      agent,
      request,
      silent: new Map(),
      rests: new Map(),
      endsAt: this.#clock.monotonic() + PASS_TIMEOUTS_MAX * this.#timeoutMs,
    };
    const queue = letters.values();
    const lane = async (): Promise<void> => {
      for (const letter of queue) outcomes.set(letter.attempt_id, await this.#sendOne(letter, pass));
    };
    try {
      await Promise.all(Array.from({ length: Math.min(MAILS_AT_ONCE, letters.length) }, lane));
    } finally {
      await agent.destroy();
    }
    return outcomes;
  }

  /** Tries the hosts in order, as long as the pass has time. The last host that was asked says why it failed. */
  async #sendOne(letter: Letter, pass: Pass): Promise<MailOutcome> {
    let failure: MailOutcome | undefined;
    let leftOut: MailOutcome | undefined;
    for (const address of this.#addresses) {
      const { origin } = address;
      const silence = pass.silent.get(origin);
      if (silence !== undefined) {
        leftOut ??= failed(origin, null, `left out for this pass: ${silence}`);
        continue;
      }
      if (this.#msLeft(pass) <= 0) return failure ?? failed(origin, null, NOT_REACHED);
      const answer = await this.#askHost(address, letter, pass);
      if (answer.kind === "mailed") return { carrier: "MAIL", host: origin, http_status: answer.http_status };
      if (answer.kind === "silent") pass.silent.set(origin, answer.error);
      failure = failureOf(origin, answer);
    }
    return failure ?? leftOut ?? failed("", null, "there is no host to ask");
  }

  /** Asks one host, and asks again while it is busy. No letter goes there before the time that its Retry-After names. */
  async #askHost(address: NtfyAddress, letter: Letter, pass: Pass): Promise<HostAnswer> {
    const { origin } = address;
    for (let tries = 1; ; tries++) {
      const rest = pass.rests.get(origin);
      const restMs = Math.ceil((rest?.until ?? 0) - this.#clock.monotonic());
      const pauseMs = Math.max(restMs, tries === 1 ? 0 : RETRY_MS_LEAST * 2 ** (tries - 2));
      if (rest !== undefined && pauseMs > 0) {
        if (pauseMs + RETRY_MS_MOST > this.#msLeft(pass)) return rest.answer;
        await this.#pause(pauseMs, pauseMs + RETRY_MS_MOST);
      }
      // Another letter may have met the silence during the pause.
      const silence = pass.silent.get(origin);
      if (silence !== undefined) return { kind: "silent", error: silence };
      const answer = await this.#post(address, letter, pass);
      if (answer.kind !== "busy") return answer;
      const until = this.#clock.monotonic() + (answer.retryAfterMs ?? 0);
      pass.rests.set(origin, { answer, until: Math.max(until, rest?.until ?? 0) });
      if (tries === TRIES_MAX) return answer;
    }
  }

  async #post({ origin, topic, authorization }: NtfyAddress, letter: Letter, pass: Pass): Promise<HostAnswer> {
    const timeoutMs = Math.min(this.#timeoutMs, this.#msLeft(pass));
    try {
      const { statusCode, headers, body } = await pass.request(`${origin}/`, {
        method: "POST",
        // A JSON body, because headers cannot hold every title.
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
      return { kind: "silent", error: faultName(error) };
    }
  }

  #msLeft(pass: Pass): number {
    return pass.endsAt - this.#clock.monotonic();
  }
}

interface Pass {
  readonly agent: Dispatcher;
  readonly request: typeof request;
  /** Origins that did not answer, and why. The rest of the pass skips them. */
  readonly silent: Map<string, string>;
  /** Origins that were busy: their last answer, and the monotonic ms at which they may be asked again. */
  readonly rests: Map<string, { readonly answer: HostAnswer; readonly until: number }>;
  /** Monotonic ms. */
  readonly endsAt: number;
}

/** A 200 means mailed only if the answer holds the message as it was sent, and no attachment. */
function judge(status: number, retryAfter: string | string[] | undefined, text: string, letter: Letter): HostAnswer {
  if (status === 200) {
    const isAsSent = messageOf(text) === letter.message;
    return isAsSent
      ? { kind: "mailed", http_status: status }
      : { kind: "refused", http_status: status, error: "answered 200 without the message as it was sent" };
  }
  if (status === 429 || status >= 500) return { kind: "busy", http_status: status, retryAfterMs: retryAfterMs(retryAfter) };
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

function failureOf(host: string, answer: Exclude<HostAnswer, { kind: "mailed" }>): MailOutcome {
  switch (answer.kind) {
    case "busy":
      return failed(host, answer.http_status, `HTTP ${answer.http_status}`);
    case "refused":
      return failed(host, answer.http_status, answer.error);
    case "silent":
      return failed(host, null, answer.error);
  }
}

function failed(host: string, http_status: number | null, error: string): MailOutcome {
  return { carrier: "FAILED", host, http_status, error };
}
