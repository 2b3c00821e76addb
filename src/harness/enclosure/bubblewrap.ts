import type { EnclosedProgram } from "./enclosure.ts";
import type { Mount } from "./mount.ts";
import { underInit } from "./namespace-init.ts";

/** As whom a run sees itself where the worker is root: agents refuse to work unattended as root, with reason. */
export const UNPRIVILEGED_ID = 1000;

/**
 * The command line of bubblewrap (contract §11): everything read-only but the mounts, a /tmp, /proc and /dev of its own, no
 * capability, and an end with whoever started it. Network and other host names stay: an agent has to reach its API.
 */
export function bubblewrapCommand(
  bwrap: string,
  { argv, cwd, mounts }: EnclosedProgram,
  isRoot: boolean,
  proc: "own" | "outer" = "own",
): [string, ...string[]] {
  const user = isRoot ? ["--uid", `${UNPRIVILEGED_ID}`, "--gid", `${UNPRIVILEGED_ID}`] : [];
  const hidden = mounts.filter(({ access }) => access === "none");
  return [
    bwrap,
    "--unshare-user",
    ...user,
    "--unshare-pid",
    // bubblewrap's own init tells how the command ended before it ends itself: what it leaves would still be there for a moment.
    "--as-pid-1",
    "--die-with-parent",
    ...["--ro-bind", "/", "/"],
    ...["--dev", "/dev"],
    // Inside another enclosure none can be mounted. Of who lives outside the outer one shows the names, and not the environment or
    // the memory: another user namespace may not look into them.
    ...(proc === "own" ? ["--proc", "/proc"] : []),
    ...["--tmpfs", "/tmp"],
    ...outermostFirst(mounts).flatMap(optionsFor),
    // Only now: the places for what is mounted inside had to be made there.
    ...hidden.flatMap(({ path }) => ["--remount-ro", path]),
    ...["--cap-drop", "ALL"],
    ...["--chdir", cwd],
    "--",
    ...underInit(argv),
  ];
}

function optionsFor({ path, access }: Mount): readonly string[] {
  switch (access) {
    case "write":
      return ["--bind-try", path, path];
    case "read":
      return ["--ro-bind-try", path, path];
    case "none":
      return ["--tmpfs", path];
  }
}

/** A later mount hides what was mounted below its path before. Of two with the same path the later one counts. */
function outermostFirst(mounts: readonly Mount[]): readonly Mount[] {
  const depth = ({ path }: Mount): number => path.split("/").length;
  return mounts.toSorted((a, b) => depth(a) - depth(b));
}
