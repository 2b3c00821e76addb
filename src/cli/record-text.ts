import { printable, printableJson } from "./printable.ts";
import { table } from "./table.ts";

/** An answer as a record, and what fields are chosen from. */
export interface AnswerRecord {
  /** Undefined where the verb has put out its lines already. */
  readonly record: unknown;
  /** The record's jobs with all that is known of them, where the record has only a part: fields are chosen from these. */
  readonly rows?: () => readonly object[];
}

/** What records are, for programs that read them: raised when a field goes away or changes its meaning. */
const SCHEMA_VERSION = 1;

/** A report's record as one line of JSON, with only these fields where some are named. */
export function jsonText({ record, rows }: AnswerRecord, fields: readonly string[] | undefined): string {
  const whole = asObject(record);
  const selected = fields === undefined ? whole : selectFrom(whole, rows, fields);
  return `${printableJson({ ...selected, schema_version: SCHEMA_VERSION })}\n`;
}

/** One line per job, its fields apart by tabs under a line with their names; a record without jobs is one such line. */
export function tsvText({ record, rows }: AnswerRecord, fields: readonly string[] | undefined): string {
  const lines = linesOf(asObject(record), fields === undefined ? undefined : rows);
  const columns = fields ?? Object.keys(lines[0] ?? {});
  const cells = [columns, ...lines.map((line) => columns.map((column) => plain(line[column])))];
  return cells.map((row) => `${row.map(escaped).join("\t")}\n`).join("");
}

/** The named fields as a table. */
export function fieldTable({ record, rows }: AnswerRecord, fields: readonly string[]): string {
  const lines = linesOf(asObject(record), rows);
  return table(
    fields.map((field) => field.toUpperCase().replaceAll("_", " ")),
    lines.map((line) => fields.map((field) => plain(line[field]))),
  );
}

type Fields = Readonly<Record<string, unknown>>;

function selectFrom(record: Fields, rows: AnswerRecord["rows"], fields: readonly string[]): Fields {
  const select = (from: Fields): Fields =>
    Object.fromEntries(fields.flatMap((name) => (name in from ? [[name, from[name]]] : [])));
  if (!hasJobs(record)) return select(record);
  return { ok: record["ok"], state: record["state"], jobs: linesOf(record, rows).map(select) };
}

/** The jobs of a record, as whole as they are known; the record itself where it has none. */
function linesOf(record: Fields, rows: AnswerRecord["rows"]): readonly Fields[] {
  if (!hasJobs(record)) return [record];
  return (rows?.() ?? record.jobs).map(asObject);
}

function hasJobs(record: Fields): record is Fields & { readonly jobs: readonly unknown[] } {
  return Array.isArray(record["jobs"]);
}

function asObject(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function escaped(cell: string): string {
  return printable(cell.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character));
}
