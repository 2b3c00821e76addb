import { readFileSync } from "node:fs";
import process from "node:process";

const STDIN = 0;

/** All of standard input, once it is closed. */
export function readStandardInput(): string {
  return readFileSync(STDIN, "utf8");
}

export interface OwnOutput {
  /** To standard output; the promise is kept when the text is out. */
  write(text: string): Promise<void>;
  /** To standard error. */
  complain(text: string): void;
}

/**
 * Keeps standard output for the one who calls this: whatever else in this process writes there writes to standard error from
 * now on, and nothing is written that holds the secret.
 */
export function takeStandardOutput(secret: string | undefined): OwnOutput {
  const write = process.stdout.write.bind(process.stdout);
  const complain = process.stderr.write.bind(process.stderr);
  const clean = (text: string): string => (secret === undefined ? text : text.replaceAll(secret, "[removed]"));
  const cleanly = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const told = rest.find((one): one is () => void => typeof one === "function");
    return complain(clean(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()), told);
  };
  process.stdout.write = cleanly;
  process.stderr.write = cleanly;
  return {
    write: (text) => new Promise((resolve) => void write(clean(text), () => resolve())),
    complain: (text) => void cleanly(text),
  };
}

/** Tells of errors that nobody waits for, instead of dying of them. */
export function onStrayErrors(tell: (error: unknown) => void): void {
  process.on("uncaughtException", tell);
  process.on("unhandledRejection", tell);
}

/** Ends this process now, whatever it still has under way. */
export function endProcess(exitCode: number): never {
  process.exit(exitCode);
}
