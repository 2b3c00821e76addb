import { UNPRIVILEGED_ID } from "./bubblewrap.ts";
import type { EnclosedProgram } from "./enclosure.ts";
import { underInit } from "./namespace-init.ts";

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
    ...underInit(argv),
  ];
}
