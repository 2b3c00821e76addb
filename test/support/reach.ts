import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

/** A way by which a process of its own reaches the temp directories of this run. */
export interface Reach {
  readonly name: string;
  /** Runs the command that is given to it, where its user or its view of the file system differs. */
  readonly launcher: readonly string[];
  /** Where a directory of ours lies over there. */
  readonly pathOf: (directory: string) => string;
}

const HERE = (directory: string): string => directory;
const MOUNTED = "/mnt/run";

/** Shows this run's temp directory at another place, in a mount namespace that ends with the process. */
const BIND = `mount -t tmpfs none /mnt && mkdir ${MOUNTED} && mount --bind "${tmpdir()}" ${MOUNTED}`;

function mounted(directory: string): string {
  return directory.replace(tmpdir(), MOUNTED);
}

function inMountNamespace(commands: string): readonly string[] {
  return ["unshare", "--mount", "sh", "-c", `${commands} && exec "$0" "$@"`];
}

const NOBODY = 65_534;

export const SAME: Reach = { name: "the same path", launcher: [], pathOf: HERE };

/** Each is another who must meet the same lock. */
export const OTHERS: readonly Reach[] = [
  { name: "a bind mount", launcher: inMountNamespace(BIND), pathOf: mounted },
  { name: "a private /tmp", launcher: inMountNamespace(`${BIND} && mount -t tmpfs none /tmp`), pathOf: mounted },
  { name: "another user", launcher: ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"], pathOf: HERE },
  {
    name: "a container: its own processes, users, mounts and /tmp",
    launcher: [
      ...["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--user", "--map-root-user"],
      ...inMountNamespace(`${BIND} && mount -t tmpfs none /tmp`).slice(1),
    ],
    pathOf: mounted,
  },
  { name: "its own processes under the host's /proc", launcher: ["unshare", "--pid", "--fork", "--kill-child"], pathOf: HERE },
];

/** Whether this machine lets us, and that process can read this checkout. */
export function isPossible({ launcher, pathOf }: Reach): boolean {
  const program = fileURLToPath(new URL("./rival-harness.ts", import.meta.url));
  const [command = "", ...args] = [...launcher, process.execPath, program, pathOf(tmpdir()), "/dev/null"];
  return spawnSync(command, args, { stdio: "ignore", timeout: 60_000 }).status === 0;
}
