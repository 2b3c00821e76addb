import { expect, test } from "vitest";
import { runInProcess } from "../support/cli-in-process.ts";
import { addRemote, commitAll, freshRepository, writeIn } from "../support/git-repository.ts";
import { jobDocument } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";

const ID = "harbor-crane-001";

test("a look at a git store says which branch it shows, and that nothing was written", async () => {
  const cwd = freshRepository();
  writeIn(cwd, "harness-wake.json", JSON.stringify({ store: "git" }));
  writeIn(cwd, `wake_jobs/${ID}.json`, JSON.stringify(jobDocument(ID)));
  commitAll(cwd);
  addRemote(cwd);
  const tick = await runInProcess({ cwd, stdoutIsTerminal: true }, "--tick", "--now", atNoon());
  expect(tick.out.split("\n").slice(3)).toEqual([
    "git store: wake_jobs on the default branch of origin; nothing was written, --deliver or --land does",
    "",
  ]);
  const list = await runInProcess({ cwd, stdoutIsTerminal: true }, "list");
  expect(list.out).toMatch(/\ngit store: wake_jobs on the default branch of origin\n$/);
});
