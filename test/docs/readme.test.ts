import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import { git } from "../support/git.ts";
import { startModelServer } from "../support/model-server.ts";
import { inTurn, say } from "../support/model-server-answer.ts";
import { NewUser } from "../support/new-user.ts";
import { pageText, walkOn } from "../support/page-walk.ts";
import { withoutMachine, withoutTimes } from "../support/paste.ts";
import { binWithClaude } from "../support/stand-in-claude.ts";

const BUILT_CLI = join(import.meta.dirname, "../../dist/cli.cjs");
const JOB = "nightly-report-0001";
const KEY = "sk-a-new-user's-own-key";
const LEAVE_PAGE = `mkdir -p p && echo "All quiet." > p/${JOB}.md && git add p && git commit -q -m page && git push -q origin HEAD:main`;

/** Claude Code does not work unattended as root. */
const isRootInside = (await findEnclosure({ choice: "auto", env: process.env })).userIdInside === 0;

describe("the README", () => {
  it("is short", () => {
    expect(pageText("README.md").split("\n").length).toBeLessThanOrEqual(145);
  });

  it("names every verb", () => {
    const help = execFileSync(process.execPath, [BUILT_CLI, "--help"], { encoding: "utf8" });
    const verbs = [...(help.split("Commands:\n")[1] ?? "").matchAll(/^ {2}([a-z]+) /gm)].map(([, verb = ""]) => verb);
    expect(verbs).toContain("create");
    expect(verbs.filter((verb) => !pageText("README.md").includes(`\`${verb}\``))).toEqual([]);
  });
});

/** What npm itself says of an install. */
function withoutNpm(output: string): string {
  return output.replace(/^\nadded \d+ packages in .*\n/, "");
}

describe("a new user, with the packed package and an empty repository", () => {
  const walk = walkOn("README.md");
  const steps = walk.map(({ commands }) => commands);

  it("comes from nothing to DONE in five commands, and sees what the README shows", async () => {
    expect(steps.join("").match(/^(?:npm|npx) /gm)).toHaveLength(5);
    await using user = await NewUser.arrive();
    const { outputs, stderr, code } = await user.paste(steps);
    const seen = outputs.map((output) => withoutMachine(withoutTimes(withoutNpm(output))));
    expect(seen).toEqual(walk.map(({ output }) => withoutMachine(output)));
    expect({ stderr: stderr.replaceAll(/^npm warn .*\n/gm, ""), code }).toEqual({ stderr: "", code: 0 });
    expect(git(user.remote, "show", `main:p/${JOB}.md`)).toBe("All quiet.");
  });

  it.skipIf(isRootInside)("reaches DONE with Claude Code as well, whose key stays with the worker", async () => {
    const [, agent = ""] = /<!-- agent -->\s+```sh\n(.*?)```/s.exec(pageText("README.md")) ?? [];
    const model = await startModelServer(inTurn(say(LEAVE_PAGE)));
    await using user = await NewUser.arrive();
    const env = { PATH: binWithClaude(), ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: model.url };
    const { outputs, code } = await user.paste([...steps.slice(0, -1), agent], env);
    await model.down();
    expect(outputs.at(-1)).toContain(`${JOB}-a01: DONE\n1 claimed, 1 finished, 0 failed, 0 kept\n`);
    expect(code).toBe(0);
    expect(model.asked.map(({ headers }) => headers["x-api-key"])).toEqual([KEY]);
    expect(model.asked[0]?.body).toContain("Write what changed since yesterday");
    expect(outputs.join("")).not.toContain(KEY);
  });
});
