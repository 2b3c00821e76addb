import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENCLOSURE_KINDS, PROTECTION, sayWhatHolds } from "../../../src/harness/enclosure/enclosure.ts";
import { findEnclosure } from "../../../src/harness/enclosure/find-enclosure.ts";
import { findProgram } from "../../../src/harness/enclosure/find-program.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/** A PATH with these programs alone, each a script. */
function pathWith(programs: Readonly<Record<string, string>>): string {
  const directory = tempDirectory();
  for (const [name, script] of Object.entries({ ...programs })) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory, name), 0o755);
  }
  for (const name of ["sh", "cat", "true", "grep", "find", "rmdir", "sleep"]) {
    const real = findProgram(name, process.env["PATH"]);
    if (real !== undefined) symlinkSync(real, join(directory, name));
  }
  return directory;
}

test("bubblewrap that is asked for and not there is refused, with what to do", async () => {
  await expect(findEnclosure({ choice: "bwrap", env: { PATH: pathWith({}) } })).rejects.toMatchObject({
    code: "CONFIG",
    message: expect.stringMatching(/--enclosure bwrap.*bwrap is not installed.*Install bubblewrap/),
  });
});

test("bubblewrap that is there and refuses is passed over in its own words", async () => {
  const PATH = pathWith({ bwrap: "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1" });
  await expect(findEnclosure({ choice: "auto", env: { PATH }, kinds: ["bwrap", "marks"] })).resolves.toMatchObject({
    kind: "marks",
    passedOver: [{ kind: "bwrap", why: "bwrap: setting up uid map: Permission denied" }],
  });
});

test("without an enclosure processes are still marked", async () => {
  const enclosure = await findEnclosure({ choice: "none", env: process.env });
  expect(enclosure).toMatchObject({ kind: "marks", passedOver: [] });
});

test("the line for people says of every kind what holds, and never more than that", () => {
  for (const kind of ENCLOSURE_KINDS) {
    const line = sayWhatHolds({ kind, passedOver: [{ kind: "bwrap", why: "it is Tuesday" }] });
    expect(line).toMatch(/bubblewrap: it is Tuesday$/);
    expect(line.includes("ends with it, or with this worker")).toBe(PROTECTION[kind].endsEverything);
    expect(line.includes("files are not protected")).toBe(!PROTECTION[kind].protectsFiles);
    expect(line.includes("cannot read this worker's environment")).toBe(PROTECTION[kind].hidesEnvironment);
  }
});

test("a program is looked for in absolute directories alone: a relative one is the checkout's to fill", () => {
  const directory = pathWith({ agent: "true" });
  expect(findProgram("agent", `.:bin::${directory}`)).toBe(join(directory, "agent"));
  expect(findProgram("agent", ".:bin:")).toBeUndefined();
  expect(findProgram("agent", undefined)).toBeUndefined();
});
