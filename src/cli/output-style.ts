import { JobError } from "../errors/job-error.ts";

export const FORMATS = ["table", "json", "tsv"] as const;
export type Format = (typeof FORMATS)[number];

/** How the answer is put out, as the command line says. */
export interface OutputStyle {
  /** Undefined where nobody says: a table for people, JSON for programs. */
  readonly format: Format | undefined;
  /** The fields that are wanted; undefined for all. */
  readonly fields: readonly string[] | undefined;
  readonly debug: boolean;
}

export interface StyledArguments {
  readonly style: OutputStyle;
  /** The command line without the field names, which commander would take for the words of a verb. */
  readonly args: readonly string[];
}

/**
 * Reads by hand what shapes the output, since it also shapes the message for a command line that cannot be parsed. Throws
 * JobError USAGE for a field that no record has.
 */
export async function readStyle(args: readonly string[]): Promise<StyledArguments> {
  const debug = args.includes("--debug");
  const named = args.findIndex((arg) => arg.startsWith("--json="));
  const at = named === -1 ? args.indexOf("--json") : named;
  const format = formatIn(args) ?? (at === -1 ? undefined : "json");
  if (at === -1) return { args, style: { format, fields: undefined, debug } };
  const word = named === -1 ? args[at + 1] : args[at]?.slice("--json=".length);
  const fields = await fieldsIn(word, named !== -1, isBeforeVerb(args.slice(0, at)));
  const used = fields === undefined || named !== -1 ? 1 : 2;
  return { args: [...args.slice(0, at), "--json", ...args.slice(at + used)], style: { format, fields, debug } };
}

function formatIn(args: readonly string[]): Format | undefined {
  const at = args.findLastIndex((arg) => arg === "--format" || arg.startsWith("--format="));
  const word = args[at] === "--format" ? args[at + 1] : args[at]?.slice("--format=".length);
  return FORMATS.find((format) => format === word);
}

/** Whether a verb may still come: `--json status` asks for the verb, `list --json status` for the field. */
function isBeforeVerb(before: readonly string[]): boolean {
  return !before.includes("--tick") && before.every((arg) => arg.startsWith("-"));
}

const FIELD_LIST = /^[a-z][a-z0-9_]*(?:,[a-z][a-z0-9_]*)*$/;

/** The fields that a word after `--json` names; undefined where it is no list of fields, but the verb or its argument. */
async function fieldsIn(word: string | undefined, isSaid: boolean, mayBeVerb: boolean): Promise<readonly string[] | undefined> {
  if (word === undefined || (!isSaid && !FIELD_LIST.test(word))) return undefined;
  const { isRecordField } = await import("./record-fields.ts");
  const fields = word.split(",");
  const isList = isSaid || fields.length > 1;
  if (!isList && (mayBeVerb || !isRecordField(word))) return undefined;
  const unknown = fields.find((field) => !isRecordField(field));
  if (unknown === undefined) return fields;
  throw new JobError("USAGE", `--json: no record has a field "${unknown}"; name fields like job_id,status`, { field: unknown });
}
