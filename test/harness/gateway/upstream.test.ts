import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Upstream, type UpstreamOptions } from "../../../src/harness/gateway/upstream.ts";
import { jobErrorFrom } from "../../support/job-error-of.ts";

const OPTIONS: UpstreamOptions = { url: "https://api.anthropic.com", key: "sk-secret", scheme: "x-api-key", environment: {} };

test.each([
  ["api.anthropic.com", "not an http or https address"],
  ["ftp://api.example", "not an http or https address"],
  ["http://api.example", "in the clear"],
  ["http://127.0.0.1.evil.example", "in the clear"],
  ["https://me:sk-secret@api.example", "holds a user"],
  ["https://api.example/?key=sk-secret", "holds a user, a query"],
])("the address %s is refused, and nothing secret is told", async (url, why) => {
  const error = await jobErrorFrom(() => Upstream.open({ ...OPTIONS, url }));
  expect(error.code).toBe("CONFIG");
  expect(error.message).toContain(why);
  expect(error.message).not.toContain("sk-secret");
});

test.each(["", "sk-secret\n", "sk secret", "sk-sécret"])("the key %j is refused, and not told", async (key) => {
  const error = await jobErrorFrom(() => Upstream.open({ ...OPTIONS, key }));
  expect(error).toMatchObject({ code: "CONFIG", message: expect.stringContaining("API key") });
  expect(error.message).not.toContain("secret");
});

test("printing it shows no key", async () => {
  const upstream = await Upstream.open(OPTIONS);
  expect(inspect(upstream, { depth: 10, showHidden: true })).not.toContain("sk-secret");
  expect(JSON.stringify(upstream)).not.toContain("sk-secret");
  await upstream.close();
});
