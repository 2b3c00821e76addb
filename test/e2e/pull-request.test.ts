import { beforeEach, expect, test } from "vitest";
import { git } from "../support/git.ts";
import { addRemote, commitAll, freshRepository } from "../support/git-repository.ts";
import { runCli } from "../support/run-cli.ts";

const JOB = ["harbor-crane-001", "--owner", "TESTS", "--harness", "script", "--objective", "Lift", "--within", "2d"];

let repository: string;
let remote: string;
beforeEach(() => {
  repository = freshRepository();
  commitAll(repository);
  remote = addRemote(repository);
});

test.each([
  ["--tick", "--land"],
  ["create", ...JOB, "--land"],
  ["cancel", "harbor-crane-001", "--land"],
  ["claim", "--job", "harbor-crane-001", "--land"],
])("--land refuses in a pull request run: %s %s", async (...args) => {
  const head = git(remote, "rev-parse", "main");
  const run = await runCli({ cwd: repository, env: { GITHUB_EVENT_NAME: "pull_request_target" } }, ...args);
  expect(run).toMatchObject({ code: 2, json: { ok: false, code: "USAGE" } });
  expect(git(remote, "rev-parse", "main")).toBe(head);
});

test.each([
  ["create", ...JOB],
  ["cancel", "harbor-crane-001"],
  ["claim", "--job", "harbor-crane-001"],
])('so does a write where the config says store "git", and looking does not: %s %s', async (...args) => {
  const env = { GITHUB_EVENT_NAME: "pull_request", HARNESS_WAKE_STORE: "git" };
  const head = git(remote, "rev-parse", "main");
  expect(await runCli({ cwd: repository, env }, ...args)).toMatchObject({ code: 2, json: { ok: false, code: "USAGE" } });
  expect(git(remote, "rev-parse", "main")).toBe(head);
  expect(await runCli({ cwd: repository, env }, "list")).toMatchObject({ code: 0 });
});
