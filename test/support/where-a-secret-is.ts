import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Holder {
  readonly pid: number;
  readonly commandLine: string;
}

/**
 * The processes in whose environment or arguments a secret stands. For a moment after its fork a child is a copy of its parent;
 * who is another program by the end of the look is not told.
 */
export function processesThatHold(secret: string): readonly Holder[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const commandLine = textOf(`/proc/${name}/cmdline`);
    const isHeld = `${commandLine}\n${textOf(`/proc/${name}/environ`)}`.includes(secret);
    const isSteady = commandLine !== "" && textOf(`/proc/${name}/cmdline`) === commandLine;
    return isHeld && isSteady ? [{ pid: Number(name), commandLine: commandLine.replaceAll("\0", " ") }] : [];
  });
}

/** The files below a directory in which a secret stands. */
export function filesThatHold(secret: string, directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && textOf(path).includes(secret) ? [path] : [];
  });
}

/** What is gone by now, or another's, holds nothing that we could tell. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
