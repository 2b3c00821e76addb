import type { IncomingHttpHeaders } from "node:http";
import { type NtfyError, type NtfyMessage, ntfyError } from "./ntfy-message.ts";

/** What a publisher asks for, whichever of ntfy's two routes it came by. */
export interface Publication {
  readonly topic: string;
  readonly message: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly priority?: number;
  /** A message that is too long, or no UTF-8: ntfy makes an attachment of it, where it may. */
  readonly attachmentBytes?: number;
}

export const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const TOPICS_TAKEN = ["docs", "static", "file", "app", "metrics", "account", "settings", "signup", "login", "v1"];

/** Some versions count exactly 4096 bytes as over; this server is one of them. */
const MESSAGE_BYTES_MAX = 4095;
const JSON_BODY_BYTES_MAX = 8192;
/** Limits that later versions have; 2.13 takes longer ones. */
const TITLE_BYTES_MAX = 1024;
const TAGS_BYTES_MAX = 512;

export function isNtfyError(answer: object | readonly NtfyMessage[]): answer is NtfyError {
  return "http" in answer;
}

/** `POST /`: the body is a JSON object that names the topic. */
export function publicationOfJson(body: Buffer): Publication | NtfyError {
  if (body.length > JSON_BODY_BYTES_MAX) return ntfyError(413, 41303, "JSON body too large");
  const fields = parseObject(body.toString("utf8"));
  const { topic = "", message, title, tags, priority, delay, cache } = fields ?? {};
  const areTexts = [topic, message ?? "", title ?? ""].every((field) => typeof field === "string");
  if (fields === undefined || !areTexts || !Array.isArray(tags ?? []) || typeof (priority ?? 0) !== "number") {
    return ntfyError(400, 40024, "invalid request: request body must be valid JSON");
  }
  if (typeof topic !== "string" || !TOPIC.test(topic)) return ntfyError(400, 40009, "invalid request: topic invalid");
  if (delay !== undefined) {
    if (cache === "no") return ntfyError(400, 40002, "cannot disable cache for delayed message");
    return ntfyError(400, 40004, "invalid delay parameter: unable to parse delay");
  }
  return check({
    topic,
    message: String(message ?? ""),
    ...(title !== undefined && { title: String(title) }),
    ...(Array.isArray(tags) && { tags: tags.map(String) }),
    // As in Go, 0 is as good as nothing.
    ...(priority ? { priority: Number(priority) } : {}),
  });
}

/** `POST /<topic>`: the whole body is the message, JSON or not; the rest comes in headers. */
export function publicationOfBody(topic: string, body: Buffer, headers: IncomingHttpHeaders): Publication | NtfyError {
  const { title, tags, priority } = headers;
  const message = body.toString("utf8");
  const isText = Buffer.from(message).equals(body);
  return check({
    topic,
    message,
    ...(typeof title === "string" && { title }),
    ...(typeof tags === "string" && { tags: tags.split(",") }),
    ...(typeof priority === "string" && { priority: Number(priority) }),
    ...(!isText && { attachmentBytes: body.length }),
  });
}

function check(asked: Publication): Publication | NtfyError {
  const { topic, title = "", tags = [], priority = 3 } = asked;
  if (TOPICS_TAKEN.includes(topic)) return ntfyError(400, 40010, "invalid request: topic name is not allowed");
  if (!Number.isInteger(priority) || priority < 1 || priority > 5) return ntfyError(400, 40007, "invalid priority parameter");
  if (Buffer.byteLength(title) > TITLE_BYTES_MAX) return ntfyError(400, 40057, "invalid request: title too long");
  if (Buffer.byteLength(tags.join(",")) > TAGS_BYTES_MAX) return ntfyError(400, 40058, "invalid request: tags too long");
  const bytes = Buffer.byteLength(asked.message);
  if (bytes > MESSAGE_BYTES_MAX) return { ...asked, attachmentBytes: bytes };
  return { ...asked, message: asked.message.trim() || "triggered" };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
