import { type Command, InvalidArgumentError, Option } from "commander";
import { JobError } from "../errors/job-error.ts";
import type { JsonObject } from "../json/json.ts";
import { FIELD_OPTIONS, type FieldOption, type Reading } from "./field-options.ts";
import { readObject } from "./json-input.ts";

const FIELDS: readonly (readonly [field: string, options: readonly FieldOption[]])[] = Object.entries(FIELD_OPTIONS);

/** The owner's fields of a job as options, for `create` and `update`. */
export function withFieldOptions(command: Command): Command {
  command.option("--from <file>", "take fields from a JSON file, or from standard input with -; options go over it");
  for (const [, options] of FIELDS) for (const { flags, description } of options) command.option(flags, description);
  return command;
}

/** What commander read. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** The fields that a command line gives: those of `--from`, under those of options. Throws JobError SCHEMA or USAGE. */
export function fieldsFrom(values: OptionValues, reading: Reading): JsonObject {
  const { from } = values;
  if (from === "-" && values["instructions"] === "-") {
    throw new JobError("USAGE", "only one of --from and --instructions can come from standard input");
  }
  const fields = typeof from === "string" ? { ...readObject(from, reading.environment) } : {};
  for (const [field, options] of FIELDS) {
    const given = options.flatMap((option) => {
      const text = values[new Option(option.flags).attributeName()];
      return typeof text === "string" ? [{ option, text }] : [];
    });
    const [first, second] = given;
    if (second !== undefined) {
      const both = given.map(({ option }) => option.flags.split(" ", 1)[0]).join(" and ");
      throw new JobError("USAGE", `${both} both give ${field}; leave one out`, { field });
    }
    if (first !== undefined) fields[field] = readOption(first.option, first.text, reading);
  }
  return fields;
}

function readOption({ flags, read }: FieldOption, text: string, reading: Reading) {
  try {
    return read(text, reading);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new JobError("USAGE", `option '${flags}' argument '${text}' is invalid. ${error.message} See harness-wake --help`);
  }
}
