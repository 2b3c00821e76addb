import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess } from "../support/cli-in-process.ts";
import { atNoon } from "../support/noon.ts";
import { pageText } from "../support/page-walk.ts";
import { tempDirectory } from "../support/temp-directory.ts";

it("the job file in docs/migration.md is read and woken, and keeps the key that nobody knows", async () => {
  const [, text = ""] = /```json\n(.*?)```/s.exec(pageText("docs/migration.md")) ?? [];
  const cwd = tempDirectory();
  mkdirSync(join(cwd, "wake_jobs"));
  const path = join(cwd, "wake_jobs/harbor-train-0001.json");
  writeFileSync(path, text);
  const { code, out } = await runInProcess({ cwd }, "--tick", "--now", atNoon());
  expect([code, JSON.parse(out).jobs]).toMatchObject([0, [{ action: "WAKE", attempt_id: "harbor-train-0001-a01" }]]);
  const job = JSON.parse(readFileSync(path, "utf8"));
  expect(job).toMatchObject({ x_note: "a key of ours", checkpoint: { step: 3 }, no_progress_count: 0 });
});
