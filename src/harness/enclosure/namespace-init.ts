/**
 * A process 1 that does nothing but wait. Without one the command itself would be process 1, and that ignores every signal
 * which it did not ask for: no stop could be a soft one. It runs the command in the foreground, since what a shell starts in
 * the background has its interrupt signal switched off.
 */
const INIT = '"$@"; exit $?';

/** The command line under the init of a PID namespace. */
export function underInit(argv: readonly string[]): readonly string[] {
  return ["sh", "-c", INIT, "init", ...argv];
}
