import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WorkerProcess } from "../../support/enclosed-run.ts";
import { git } from "../../support/git.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { worktreeFleet } from "../../support/worktree-fleet.ts";

test("under bubblewrap a run commits and pushes from its worktree, and changes nothing that the owner's git runs", async ({
  skip,
}) => {
  const fleet = await worktreeFleet();
  const home = tempDirectory();
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Owner\n\temail = owner@example.invalid\n");
  mkdirSync(join(home, "notes"));
  const [workspace, other] = [await fleet.open(), await fleet.open()];
  const { common } = fleet.repository;
  const forbidden = [
    "config",
    "hooks/pre-commit",
    "info/attributes",
    "modules/x",
    `worktrees/${other.directory.split("/").at(-1)}/commondir`,
  ].map((name) => join(common, name));
  forbidden.push(join(fleet.remote, "config"), join(fleet.remote, "hooks/pre-receive"));
  const script = `
    echo done >page.md && git add page.md && git commit -q -m page && git push -q origin HEAD:main && echo pushed
    git branch side && git branch -D -q side && echo branched
    git fetch -q && echo fetched
    for file in ${[...forbidden, join(fleet.checkout, "README.md"), join(other.directory, "README.md"), join(home, ".gitconfig")].join(" ")}; do
      (echo x >>"$file") 2>/dev/null && echo "wrote $file"
    done
    git config core.fsmonitor true 2>/dev/null && echo configured
    echo x >"$HOME/notes/note" && echo noted`;
  await using worker = new WorkerProcess({
    kind: "bwrap",
    argv: ["sh", "-c", script],
    cwd: workspace.directory,
    env: { HOME: home },
    mounts: [{ path: home, access: "write" }, { path: join(home, ".gitconfig"), access: "read" }, ...workspace.mounts],
  });
  const end = await worker.ended();
  skip("unavailable" in end);
  expect(worker.out.trim().split("\n")).toEqual(["pushed", "branched", "fetched", "noted"]);
  expect(await workspace.close()).toEqual({ state: "removed", warnings: [] });
  expect(git(fleet.remote, "show", "main:page.md")).toBe("done");
  expect(existsSync(join(common, "hooks/pre-commit"))).toBe(false);
});
