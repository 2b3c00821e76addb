import type { Dispatcher, request } from "undici";
import type { Clock } from "../facts/clock.ts";
import { type Pause, pauseBetween } from "../facts/pause.ts";
import { faultName, retryAfterMs } from "../http/http-answer.ts";
import { NO_PROXIES, type Proxies } from "../http/proxies.ts";
import { linesOf } from "./body-lines.ts";
import { Bookmark } from "./bookmark.ts";
import type { Inbox, InboxTrouble } from "./inbox.ts";
import { type Ending, restAfter } from "./inbox-rest.ts";
import { MailQueue } from "./mail-queue.ts";
import { type NtfyAddress, ntfyAddress } from "./ntfy-address.ts";
import { type NtfyEvent, parseEvent } from "./ntfy-event.ts";
import { SeenMails } from "./seen-mails.ts";
import { parseMail, type WakeMail } from "./wake-mail.ts";

export interface NtfyInboxOptions {
  /** Topics, like `https://ntfy.sh/my-topic`. Each host has its own ids and its own cache, so a reader listens to all of them. */
  readonly urls: readonly string[];
  readonly token?: string | undefined;
  /** Default: no proxy, even if the process's environment names one. */
  readonly proxies?: Proxies | undefined;
  readonly clock: Clock;
  /** How long one host may take to begin its answer, or in a poll to end it. */
  readonly timeoutMs: number;
  /** Called once when a host begins to fail, or fails in another way. */
  readonly onTrouble?: ((trouble: InboxTrouble) => void) | undefined;
  /** A stream that is silent for longer is closed and opened again. */
  readonly silenceMsMax?: number;
  readonly pause?: Pause;
}

/** ntfy sends a keepalive every 45 seconds. Two of them may be lost. */
const SILENCE_MS_MAX = 120_000;

interface Host extends NtfyAddress {
  readonly bookmark: Bookmark;
  /** Monotonic ms. A poll skips the host until then. */
  restUntil: number;
  /** The failure that was reported last. */
  told: string | undefined;
}

type Take = (mail: WakeMail) => Promise<void> | void;

interface Client {
  readonly agent: Dispatcher;
  readonly request: typeof request;
}

/** Reads wake mails from ntfy topics (contract §4). */
export class NtfyInbox implements Inbox {
  readonly #hosts: readonly Host[];
  readonly #options: NtfyInboxOptions;
  readonly #seen = new SeenMails();
  /** Outlives a `listen`, so that the next one gives what arrived while the reader left. */
  readonly #queue = new MailQueue();

  /** Throws JobError CONFIG for an address to which a token would be sent unencrypted. */
  constructor(options: NtfyInboxOptions) {
    this.#hosts = options.urls.map((url) => ({
      ...ntfyAddress(url, options.token),
      bookmark: new Bookmark(),
      restUntil: Number.NEGATIVE_INFINITY,
      told: undefined,
    }));
    this.#options = options;
  }

  async poll(): Promise<readonly WakeMail[]> {
    const now = this.#options.clock.monotonic();
    const awake = this.#hosts.filter(({ restUntil }) => restUntil <= now);
    const client = await this.#openClient();
    try {
      await Promise.all(awake.map((host) => this.#pollHost(host, client)));
    } finally {
      await client.agent.destroy();
    }
    return this.#queue.takeAll();
  }

  async *listen(signal: AbortSignal): AsyncGenerator<WakeMail> {
    const stop = new AbortController();
    const ended = AbortSignal.any([signal, stop.signal]);
    ended.addEventListener("abort", () => this.#queue.signal(), { once: true });
    const client = await this.#openClient();
    // It fails only if the caller's own onTrouble throws. Then the loop ends, and `await following` throws it to the caller.
    const following = Promise.all(this.#hosts.map((host) => this.#follow(host, client, ended))).finally(() => stop.abort());
    following.catch(() => {});
    try {
      while (!ended.aborted) {
        const mail = this.#queue.take();
        if (mail === undefined) await this.#queue.changed();
        else yield mail;
      }
    } finally {
      stop.abort();
      await client.agent.destroy();
      await following;
    }
  }

  async #pollHost(host: Host, client: Client): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const ending = await this.#read(host, "poll=1&", client, AbortSignal.timeout(timeoutMs), (mail) => this.#queue.push(mail));
    this.#tell(host, ending);
    if (ending.isFinal || ending.retryAfterMs !== undefined) {
      const { leastMs } = restAfter(ending, 0);
      host.restUntil = clock.monotonic() + leastMs;
    }
  }

  /** Reads one host's stream again and again, with pauses that grow while it gives nothing. */
  async #follow(host: Host, client: Client, signal: AbortSignal): Promise<void> {
    const { clock, pause = pauseBetween } = this.#options;
    for (let failures = 0; !signal.aborted; failures++) {
      const startedAt = clock.monotonic();
      const take: Take = async (mail) => {
        failures = 0;
        this.#queue.push(mail);
        while (this.#queue.isFull && !signal.aborted) await this.#queue.changed();
      };
      const ending = await this.#read(host, "", client, signal, take, this.#lookingBack(host, client, signal, take));
      if (signal.aborted) return;
      this.#tell(host, ending);
      if (clock.monotonic() - startedAt >= STEADY_MS) failures = 0;
      const { leastMs, mostMs } = restAfter(ending, failures);
      await pause(leastMs, mostMs, signal);
    }
  }

  /**
   * Polls once, when a stream has been open for a while: a mail may have missed the stream's opening and been cached after it.
   * Tried again at the next keepalive if it fails.
   */
  #lookingBack(host: Host, client: Client, signal: AbortSignal, take: Take): () => Promise<void> {
    let isDone = false;
    return async () => {
      if (isDone) return;
      const patience = AbortSignal.any([signal, AbortSignal.timeout(this.#options.timeoutMs)]);
      const { error } = await this.#read(host, "poll=1&", client, patience, take);
      isDone = error === undefined;
    };
  }

  async #read(
    host: Host,
    query: string,
    { agent, request }: Client,
    signal: AbortSignal,
    take: Take,
    onKeepalive?: () => Promise<void>,
  ): Promise<Ending> {
    const { clock, timeoutMs, silenceMsMax = SILENCE_MS_MAX } = this.#options;
    const { origin, topic, authorization, bookmark } = host;
    const since = bookmark.since(clock.monotonic());
    let isNtfy = false;
    let error: string | undefined;
    try {
      const { statusCode, headers, body } = await request(`${origin}/${topic}/json?${query}since=${since}`, {
        headers: authorization === undefined ? {} : { authorization },
        dispatcher: agent,
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: silenceMsMax,
      });
      if (statusCode !== 200) {
        await body.dump({ limit: REFUSAL_BYTES_MAX, signal });
        return {
          http_status: statusCode,
          error: `HTTP ${statusCode}`,
          isFinal: FINAL_STATUSES.includes(statusCode),
          retryAfterMs: retryAfterMs(headers["retry-after"]),
        };
      }
      for await (const line of linesOf(body)) {
        const event = parseEvent(line);
        if (event === undefined) {
          if (!isNtfy) error = "answered 200 without ntfy's events";
          continue;
        }
        isNtfy = true;
        error = undefined;
        if (event.event === "keepalive") await onKeepalive?.();
        const mail = this.#mailIn(event, host);
        if (mail !== undefined) await take(mail);
      }
      return { http_status: 200, error, isFinal: false, retryAfterMs: undefined };
    } catch (cause) {
      // A stream that worked and was cut is no failure. If it cannot be opened again, the next reading reports that.
      return { http_status: null, error: isNtfy ? undefined : faultName(cause), isFinal: false, retryAfterMs: undefined };
    }
  }

  /** The event's mail, if it is one of ours and was not given out yet. Events of other kinds are ignored. */
  #mailIn({ event, id, message }: NtfyEvent, host: Host): WakeMail | undefined {
    if (event !== "message") return undefined;
    if (id !== undefined) host.bookmark.note(id, this.#options.clock.monotonic());
    const mail = typeof message === "string" ? parseMail(message) : undefined;
    return mail !== undefined && this.#seen.add(mail) ? mail : undefined;
  }

  #tell(host: Host, { http_status, error }: Ending): void {
    const isNews = error !== undefined && error !== host.told;
    host.told = error;
    if (isNews) this.#options.onTrouble?.({ host: host.origin, http_status, error });
  }

  async #openClient(): Promise<Client> {
    const { EnvHttpProxyAgent, request } = await import("undici");
    const { proxies = NO_PROXIES, timeoutMs } = this.#options;
    return { agent: new EnvHttpProxyAgent({ ...proxies, connect: { timeout: timeoutMs } }), request };
  }
}

/** After a stream that lasted this long, pauses start small again. */
const STEADY_MS = 60_000;

/** The body of a refusal is read only to free the connection. */
const REFUSAL_BYTES_MAX = 16 * 1024;

/** Statuses that stay until somebody changes the host or the config. */
const FINAL_STATUSES: readonly number[] = [401, 403, 404];
