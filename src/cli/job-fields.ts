import type { Command } from "commander";
import { JobError } from "../errors/job-error.ts";
import type { OwnerFieldName } from "../job/fields.ts";
import { addSeconds, formatTime, type Seconds } from "../job/time.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { requireDuration, requireInteger, requireTime } from "./common-options.ts";
import type { Environment } from "./environment.ts";
import { readObject, readText, requireObject } from "./json-input.ts";

/** The owner's fields of a job as options, for `create` and `update`. */
export interface FieldFlags {
  readonly from?: string;
  readonly owner?: string;
  readonly harness?: string;
  readonly objective?: string;
  readonly instructions?: string;
  readonly at?: Seconds;
  readonly in?: number;
  readonly deadline?: Seconds;
  readonly within?: number;
  readonly checkpoint?: string;
  readonly predicate?: string;
  readonly resultAddress?: string;
  readonly backoffSeconds?: number;
  readonly maxBackoffSeconds?: number;
  readonly leaseSeconds?: number;
  readonly maxAttempts?: number;
  readonly budgetTokens?: number;
}

export function withFieldOptions(command: Command): Command {
  return command
    .option("--from <file>", "take fields from a JSON file, or from standard input with -; options go over it")
    .option("--owner <NAME>", "owner_claim: whose job it is, in capitals")
    .option("--harness <name>", "the program that does the work")
    .option("--objective <line>", "what the work is for, in a line")
    .option("--instructions <file>", "the prompt for the agent: a text file, or - for standard input")
    .option("--at <time>", "next_wake_at: first wake at this time", requireTime)
    .option("--in <duration>", "next_wake_at: first wake after this long, like 30m", requireDuration)
    .option("--deadline <time>", "give up at this time", requireTime)
    .option("--within <duration>", "deadline: give up after this long, like 2d", requireDuration)
    .option("--checkpoint <json>", "the harness's own state to begin with")
    .option("--predicate <json>", 'completion_predicate, like {"type":"result_address_on_head"}')
    .option("--result-address <id>", 'the page p/<id>.md that is the result; "" for none')
    .option("--backoff-seconds <n>", "first pause after no progress", requireInteger)
    .option("--max-backoff-seconds <n>", "longest pause", requireInteger)
    .option("--lease-seconds <n>", "how long a wake or a claim holds without renewal", requireInteger)
    .option("--max-attempts <n>", "how many attempts may run a model", requireInteger)
    .option("--budget-tokens <n>", "how many tokens all attempts may use", requireInteger);
}

/** The fields that a command line gives: those of `--from`, under those of options. Throws JobError SCHEMA or USAGE. */
export function fieldsFrom(flags: FieldFlags, environment: Environment, now: Seconds): JsonObject {
  if (flags.from === "-" && flags.instructions === "-") {
    throw new JobError("USAGE", "only one of --from and --instructions can come from standard input");
  }
  const timed = {
    next_wake_at: flags.at ?? (flags.in === undefined ? undefined : addSeconds(now, flags.in)),
    deadline: flags.deadline ?? (flags.within === undefined ? undefined : addSeconds(now, flags.within)),
  };
  const given = {
    owner_claim: flags.owner,
    harness: flags.harness,
    objective: flags.objective,
    instructions: flags.instructions === undefined ? undefined : readText(flags.instructions, environment),
    next_wake_at: timed.next_wake_at === undefined ? undefined : formatTime(timed.next_wake_at),
    deadline: timed.deadline === undefined ? undefined : formatTime(timed.deadline),
    checkpoint: flags.checkpoint === undefined ? undefined : requireObject(flags.checkpoint, "--checkpoint"),
    completion_predicate: flags.predicate === undefined ? undefined : requireObject(flags.predicate, "--predicate"),
    result_address: flags.resultAddress,
    backoff_seconds: flags.backoffSeconds,
    max_backoff_seconds: flags.maxBackoffSeconds,
    lease_seconds: flags.leaseSeconds,
    max_attempts: flags.maxAttempts,
    budget_tokens: flags.budgetTokens,
    // All of the owner's fields have an option, but for the id, which is the verb's argument.
  } satisfies Record<Exclude<OwnerFieldName, "job_id">, Json | undefined>;
  const fromFile = flags.from === undefined ? {} : readObject(flags.from, environment);
  const fromOptions = Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return { ...fromFile, ...fromOptions };
}
