import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EnclosureKind } from "../../../src/harness/enclosure/enclosure.ts";
import { WorkerProcess } from "../../support/enclosed-run.ts";
import type { EnclosedTask } from "../../support/enclosing-worker.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/** What a script says under an enclosure of that kind; undefined where it does not work here. */
async function saidUnder(kind: EnclosureKind, script: string, more: Partial<EnclosedTask> = {}): Promise<string | undefined> {
  const task: EnclosedTask = { kind, argv: ["sh", "-c", script], cwd: "/", ...more };
  await using worker = new WorkerProcess(task, [], { THE_WORKERS_OWN: "an-api-key" });
  return "unavailable" in (await worker.ended()) ? undefined : worker.out + worker.err;
}

describe.each(["bwrap", "unshare"] as const)("under %s", (kind) => {
  test("a run cannot read the worker's environment, nor bring the machine's own /proc to light", async ({ skip }) => {
    const look = "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c an-api-key";
    const said = await saidUnder(
      kind,
      `${look}; umount /proc 2>/dev/null && echo unmounted; ${look}; ls -d /proc/[0-9]* | wc -l`,
    );
    skip(said === undefined);
    const [before, after, processes] = said?.trim().split("\n") ?? [];
    expect({ before, after }).toEqual({ before: "0", after: "0" });
    expect(Number(processes)).toBeLessThan(8);
  });

  test("it is nobody in particular and has no capability", async ({ skip }) => {
    const said = await saidUnder(kind, "id -u; grep CapEff /proc/self/status");
    skip(said === undefined);
    const [uid, capabilities] = said?.trim().split("\n") ?? [];
    expect(uid).not.toBe("0");
    expect(capabilities).toMatch(/\t0+$/);
  });
});

test("without an enclosure a run can read it, and the line for people says so", async () => {
  expect(await saidUnder("marks", "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c an-api-key")).not.toMatch(/^0/);
});

test("under bwrap a run finds nothing in a hidden directory but what is mounted inside, and leaves nothing there", async ({
  skip,
}) => {
  const root = tempDirectory();
  for (const directory of ["home/state/attempts", "home/state/run"]) mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(join(root, "home/state/attempts/one.json"), "claim-of-mine");
  const said = await saidUnder("bwrap", "find home; echo x >home/state/new; echo x >home/state/run/new && echo written", {
    cwd: root,
    mounts: [
      { path: root, access: "write" },
      { path: join(root, "home/state"), access: "none" },
      { path: join(root, "home/state/run"), access: "write" },
    ],
  });
  skip(said === undefined);
  expect(said?.match(/^(?:home.*|written)$/gm)).toEqual(["home", "home/state", "home/state/run", "written"]);
  expect(readdirSync(join(root, "home/state"))).toEqual(["attempts", "run"]);
});

test("under bwrap a run writes where its mounts let it, and nowhere else", async ({ skip }) => {
  const root = tempDirectory();
  for (const directory of ["home", "home/checkout", "home/checkout/hooks", "beside"]) mkdirSync(join(root, directory));
  writeFileSync(join(root, "home/config"), "");
  const script = `for place in home/new home/config home/checkout/new home/checkout/hooks/new beside/new; do
    echo text 2>/dev/null >"$place" && echo "$place"
  done; echo text >/tmp/own && echo /tmp; touch /etc/new 2>/dev/null && echo /etc; true`;
  const said = await saidUnder("bwrap", script, {
    cwd: root,
    mounts: [
      { path: join(root, "home"), access: "write" },
      { path: join(root, "home/config"), access: "read" },
      { path: join(root, "home/checkout"), access: "read" },
      { path: join(root, "home/checkout"), access: "write" },
      { path: join(root, "home/checkout/hooks"), access: "read" },
      { path: join(root, "beside"), access: "read" },
      { path: join(root, "nothing-here"), access: "write" },
    ],
  });
  skip(said === undefined);
  expect(said?.match(/^[\w/]+$/gm)).toEqual(["home/new", "home/checkout/new", "/tmp"]);
});
