import { createParser, type EventSourceParser } from "eventsource-parser";
import { isJsonObject, type JsonObject } from "../../json/json.ts";
import { type Answer, NOTHING_TOLD, type UsageReader } from "./answer.ts";
import { readChat } from "./chat-usage.ts";
import { readMessages } from "./messages-usage.ts";
import { readResponses } from "./responses-usage.ts";
import type { Api } from "./routes.ts";

const READERS: Readonly<Record<Api, UsageReader>> = {
  messages: readMessages,
  count_tokens: (answer) => answer,
  responses: readResponses,
  chat: readChat,
};

/** The last event of Responses holds the whole answer, images included. Past this an answer counts as not counted. */
const TEXT_MAX = 32 * 1024 * 1024;

/** Most events are pieces of text. Only one of these words makes an event worth parsing. */
const TELLING = /"(?:usage|error|refusal|content_filter)"/;

/** Reads what an answer tells about itself while its bytes pass. The same bytes give the same in whatever pieces they come. */
export class AnswerReader {
  #answer: Answer = NOTHING_TOLD;
  readonly #read: UsageReader;
  readonly #decoder = new TextDecoder();
  /** Undefined for an answer that is one JSON value. */
  readonly #events: EventSourceParser | undefined;
  #text = "";
  /** It outgrew {@link TEXT_MAX}. */
  #isLost = false;

  constructor(api: Api, contentType: string) {
    this.#read = READERS[api];
    if (api === "count_tokens") this.#answer = { ...NOTHING_TOLD, isCounted: true };
    if (/^text\/event-stream\b/i.test(contentType)) {
      this.#events = createParser({
        maxBufferSize: TEXT_MAX,
        onEvent: ({ data }) => {
          if (TELLING.test(data)) this.#take(data);
        },
        onError: ({ type }) => {
          this.#isLost ||= type === "max-buffer-size-exceeded";
        },
      });
    }
  }

  get answer(): Answer {
    return this.#answer;
  }

  feed(bytes: Uint8Array): void {
    this.#add(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The bytes are over. A last event without its blank line is read too. */
  end(): void {
    this.#add(this.#decoder.decode());
    if (this.#events !== undefined) this.#add("\n\n");
    else if (!this.#isLost) this.#take(this.#text);
    this.#text = "";
  }

  #add(text: string): void {
    if (this.#isLost) return;
    if (this.#events !== undefined) {
      this.#events.feed(text);
      return;
    }
    this.#text += text;
    if (this.#text.length <= TEXT_MAX) return;
    this.#isLost = true;
    this.#text = "";
  }

  #take(json: string): void {
    const value = parsed(json);
    if (value !== undefined) this.#answer = this.#read(this.#answer, value);
  }
}

/** Undefined for what is no JSON object: `[DONE]`, a proxy's page, half an event. */
export function parsed(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
