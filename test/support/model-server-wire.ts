import type { ModelAnswer, WireAnswer } from "./model-server-answer.ts";
import { chatAnswer } from "./model-server-chat.ts";
import { messagesAnswer } from "./model-server-messages.ts";
import type { AskedModel, ModelApi } from "./model-server-request.ts";
import { responsesAnswer } from "./model-server-responses.ts";

const WIRES: Readonly<Record<ModelApi, (asked: AskedModel, answer: ModelAnswer, id: string) => WireAnswer>> = {
  messages: messagesAnswer,
  count_tokens: () => ({ events: [], body: { input_tokens: 10 } }),
  responses: responsesAnswer,
  chat: chatAnswer,
};

export function wireAnswer(api: ModelApi, asked: AskedModel, answer: ModelAnswer, id: string): WireAnswer {
  return WIRES[api](asked, answer, id);
}
