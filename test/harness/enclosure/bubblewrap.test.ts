import { expect, test } from "vitest";
import { bubblewrapCommand } from "../../../src/harness/enclosure/bubblewrap.ts";
import type { Mount } from "../../../src/harness/enclosure/mount.ts";

/** The mounts of a command line, as `<option> <path>`. */
function bindsOf(mounts: readonly Mount[]): readonly string[] {
  const command = bubblewrapCommand("bwrap", { argv: ["true"], cwd: "/", mounts }, false);
  return command.flatMap((word, i) => (/^--(?:ro-)?bind-try$/.test(word) ? `${word} ${command[i + 1]}` : []));
}

test("a mount inside another counts there, in whatever order the two are told", () => {
  const mounts: readonly Mount[] = [
    { path: "/tmp/run/tree", access: "write" },
    { path: "/home/me", access: "write" },
    { path: "/tmp/run", access: "read" },
  ];
  const binds = ["--bind-try /home/me", "--ro-bind-try /tmp/run", "--bind-try /tmp/run/tree"];
  expect(bindsOf(mounts)).toEqual(binds);
  expect(bindsOf(mounts.toReversed()).toSorted()).toEqual(binds.toSorted());
  expect(bindsOf(mounts.toReversed()).at(-1)).toBe("--bind-try /tmp/run/tree");
});

test("a hidden directory is closed only when the places for what is mounted inside are made", () => {
  const mounts: readonly Mount[] = [
    { path: "/home/me/state", access: "none" },
    { path: "/home/me/state/tree", access: "write" },
  ];
  const command = bubblewrapCommand("bwrap", { argv: ["true"], cwd: "/", mounts }, false);
  expect(command.slice(command.indexOf("/home/me/state") - 1).slice(0, 7)).toEqual([
    ...["--tmpfs", "/home/me/state"],
    ...["--bind-try", "/home/me/state/tree", "/home/me/state/tree"],
    ...["--remount-ro", "/home/me/state"],
  ]);
});

test("of two mounts of one path the later counts", () => {
  expect(
    bindsOf([
      { path: "/home/me", access: "write" },
      { path: "/home/me", access: "read" },
    ]).at(-1),
  ).toBe("--ro-bind-try /home/me");
});
