import type { OwnerFieldName } from "../job/fields.ts";
import { addSeconds, formatTime, type Seconds } from "../job/time.ts";
import type { Json } from "../json/json.ts";
import type { Environment } from "./environment.ts";
import { readText, requireObject } from "./json-input.ts";
import { requireDuration, requireInteger, requireTime } from "./option-value.ts";

/** What an option's text is read with. */
export interface Reading {
  readonly environment: Environment;
  readonly now: Seconds;
}

/** One way to give a field on the command line. */
export interface FieldOption {
  /** As commander takes it: `--owner <NAME>`. */
  readonly flags: string;
  readonly description: string;
  /** The field's value. Throws commander's InvalidArgumentError, or JobError SCHEMA or USAGE. */
  readonly read: (text: string, reading: Reading) => Json;
}

const asGiven = (text: string): Json => text;

/**
 * The options of every field that an owner gives (contract §2), but for the id, which is the verb's argument. An owner's field
 * that is added to the table of fields does not compile until it has one here.
 */
export const FIELD_OPTIONS = {
  owner_claim: [{ flags: "--owner <NAME>", description: "owner_claim: whose job it is, in capitals", read: asGiven }],
  harness: [{ flags: "--harness <name>", description: "the program that does the work", read: asGiven }],
  objective: [{ flags: "--objective <line>", description: "what the work is for, in a line", read: asGiven }],
  instructions: [
    {
      flags: "--instructions <file>",
      description: "the prompt for the agent: a text file, or - for standard input",
      read: (text, { environment }) => readText(text, environment),
    },
  ],
  next_wake_at: [
    {
      flags: "--at <time>",
      description: "next_wake_at: first wake at this time",
      read: (text) => formatTime(requireTime(text)),
    },
    {
      flags: "--in <duration>",
      description: "next_wake_at: first wake after this long, like 30m",
      read: (text, { now }) => formatTime(addSeconds(now, requireDuration(text))),
    },
  ],
  deadline: [
    { flags: "--deadline <time>", description: "give up at this time", read: (text) => formatTime(requireTime(text)) },
    {
      flags: "--within <duration>",
      description: "deadline: give up after this long, like 2d",
      read: (text, { now }) => formatTime(addSeconds(now, requireDuration(text))),
    },
  ],
  checkpoint: [
    {
      flags: "--checkpoint <json>",
      description: "the harness's own state to begin with",
      read: (text) => requireObject(text, "--checkpoint"),
    },
  ],
  completion_predicate: [
    {
      flags: "--predicate <json>",
      description: 'completion_predicate, like {"type":"result_address_on_head"}',
      read: (text) => requireObject(text, "--predicate"),
    },
  ],
  result_address: [
    { flags: "--result-address <id>", description: 'the page p/<id>.md that is the result; "" for none', read: asGiven },
  ],
  backoff_seconds: [{ flags: "--backoff-seconds <n>", description: "first pause after no progress", read: requireInteger }],
  max_backoff_seconds: [{ flags: "--max-backoff-seconds <n>", description: "longest pause", read: requireInteger }],
  lease_seconds: [
    { flags: "--lease-seconds <n>", description: "how long a wake or a claim holds without renewal", read: requireInteger },
  ],
  max_attempts: [{ flags: "--max-attempts <n>", description: "how many attempts may run a model", read: requireInteger }],
  budget_tokens: [{ flags: "--budget-tokens <n>", description: "how many tokens all attempts may use", read: requireInteger }],
} as const satisfies Record<Exclude<OwnerFieldName, "job_id">, readonly FieldOption[]>;
