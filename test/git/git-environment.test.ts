import { describe, expect, test } from "vitest";
import { gitEnvironment } from "../../src/git/git-environment.ts";

const passed = (env: Record<string, string>, withConfig = true) => gitEnvironment(env, { withConfig });

describe("what git honours of the user's environment reaches it", () => {
  test.each([
    "GIT_EXEC_PATH",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_0",
    "GIT_CONFIG_VALUE_0",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_GLOBAL",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_ALLOW_PROTOCOL",
    "GIT_TRACE2_EVENT",
    "GIT_HTTP_USER_AGENT",
    "GIT_COMMITTER_EMAIL",
    "GIT_A_LATER_VERSIONS",
    "HTTPS_PROXY",
    "no_proxy",
    "SSH_AUTH_SOCK",
    "HOME",
  ])("%s", (name) => expect(passed({ [name]: "/value" })).toMatchObject({ [name]: "/value" }));
});

test.each(["CURSOR_API_KEY", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY"])(
  "the key of a model's API does not reach it: %s",
  (name) => expect(passed({ [name]: "key" })).not.toHaveProperty(name),
);

describe("what puts another repository in the place of this one does not", () => {
  test.each([
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_CONFIG",
  ])("%s", (name) => expect(passed({ [name]: "/elsewhere" })).not.toHaveProperty(name));
});

test.each(["GIT_EDITOR", "GIT_PAGER", "GIT_SEQUENCE_EDITOR", "GIT_TERMINAL_PROMPT", "GIT_NO_REPLACE_OBJECTS", "LC_ALL"])(
  "%s is ours",
  (name) => expect(passed({ [name]: "theirs" })[name]).not.toBe("theirs"),
);

test("settings that the environment brings are left out where they are not to count, and nothing else", () => {
  const env = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "a.b",
    GIT_CONFIG_GLOBAL: "/x",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_SSH: "/y",
  };
  const child = passed(env, false);
  expect(Object.keys(child).filter((name) => name.startsWith("GIT_CONFIG"))).toEqual([]);
  expect(child).toMatchObject({ GIT_SSH: "/y" });
});

describe("programs are looked for outside the checkout alone", () => {
  test.each([
    ["node_modules/.bin:/usr/bin", "/usr/bin"],
    [".:/usr/bin:", "/usr/bin"],
    ["./bin:/a::/b", "/a:/b"],
    ["~/bin:/a", "/a"],
  ])("with the path %s", (path, left) => expect(passed({ PATH: path })["PATH"]).toBe(left));

  test("with a path of which nothing is left", () => expect(passed({ PATH: ".:" })).not.toHaveProperty("PATH"));
  test("with a relative GIT_EXEC_PATH", () => expect(passed({ GIT_EXEC_PATH: "libexec" })).not.toHaveProperty("GIT_EXEC_PATH"));
});
