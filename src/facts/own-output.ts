import { readFileSync } from "node:fs";
import process from "node:process";

const STDIN = 0;

/** All of standard input, once it is closed. */
export function readStandardInput(): string {
  return readFileSync(STDIN, "utf8");
}

/**
 * Keeps standard output for the one who calls this: whatever else in this process writes there writes to standard error from
 * now on. Gives what writes to it; the promise is kept when the text is out.
 */
export function takeStandardOutput(): (text: string) => Promise<void> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return (text) => new Promise((resolve) => void write(text, () => resolve()));
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
