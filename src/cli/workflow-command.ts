import { printable } from "./printable.ts";

export interface Annotation {
  readonly level: "error" | "warning";
  readonly title: string;
  /** From the top of the repository; undefined where it is about no file. */
  readonly file?: string | undefined;
  readonly message: string;
}

/**
 * The workflow command that makes GitHub Actions show this beside the run, as a line of a step's log. Whatever the words hold,
 * they end neither the line nor a property, and are no command themselves.
 */
export function annotationLine({ level, title, file, message }: Annotation): string {
  const properties = [["title", title] as const, ...(file === undefined ? [] : [["file", file] as const])];
  const told = properties.map(([name, value]) => `${name}=${escaped(value, PROPERTY)}`).join(",");
  return `::${level} ${told}::${escaped(message, DATA)}\n`;
}

const DATA = /[%\r\n]/g;
const PROPERTY = /[%\r\n:,]/g;

/** Made harmless before it is escaped: what the log shows is decoded again. */
function escaped(text: string, active: RegExp): string {
  const encode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  return printable(text).replace(active, encode);
}
