import { UNPRIVILEGED_ID } from "./bubblewrap.ts";
import type { EnclosedProgram } from "./enclosure.ts";

/**
 * A process 1 that does nothing but wait. Without one the command itself would be process 1, and that ignores every signal
 * which it did not ask for: no stop could be a soft one. It runs the command in the foreground, since what a shell starts in
 * the background has its interrupt signal switched off.
 */
const INIT = '"$@"; exit $?';

/**
 * A PID namespace by util-linux (contract §11). `--kill-child` alone outlives a worker that is killed: only setpriv's death
 * signal reaches unshare itself.
 */
export function unshareCommand(
  { setpriv, unshare }: { readonly setpriv: string; readonly unshare: string },
  { argv }: EnclosedProgram,
  isRoot: boolean,
): [string, ...string[]] {
  const user = isRoot ? [`--map-user=${UNPRIVILEGED_ID}`, `--map-group=${UNPRIVILEGED_ID}`] : ["--map-current-user"];
  return [
    setpriv,
    "--pdeathsig",
    "KILL",
    unshare,
    "--user",
    ...user,
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    ...["sh", "-c", INIT, "init"],
    ...argv,
  ];
}
