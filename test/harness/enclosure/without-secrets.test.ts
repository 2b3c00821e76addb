import { expect, test } from "vitest";
import { secretsOf, withoutSecrets } from "../../../src/harness/enclosure/without-secrets.ts";

test.each([
  ["https://user:p@ss@host/x.git", "https://[removed]host/x.git"],
  ["Authorization: Bearer abc.def-ghi_jkl", "Authorization: Bearer [removed]"],
  ["x-api-key: 0123456789", "x-api-key: [removed]"],
  ["ANTHROPIC_API_KEY=abcdefgh", "ANTHROPIC_API_KEY=[removed]"],
  ['{"api_key": "abcdefgh"}', '{"api_key": "[removed]"}'],
  [`key sk-ant-${"a1B2".repeat(8)} was refused`, "key [removed] was refused"],
  [`remote: ghp_${"a1B2".repeat(8)}`, "remote: [removed]"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.sig", "[removed]"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nnext", "[removed]\nnext"],
  ["the value hunter2-and-more is known", "the value [removed] is known"],
])("%s", (text, told) => {
  expect(withoutSecrets(text, ["hunter2-and-more", "hunter2-and", "true"])).toBe(told);
});

test.each([
  "true story: tokens used 1000",
  "see https://example.net/a@b",
  "the key idea is simple",
  "skip-this-long-sentence-please",
])("and %s stays as it is", (text) => expect(withoutSecrets(text, ["true"])).toBe(text));

test("of an environment the values are secrets whose variables are called so", () => {
  const env = { PATH: "/bin", OPENAI_API_KEY: "one", GITHUB_TOKEN: "two", DB_PASSWORD: "three", EMPTY_SECRET: undefined };
  expect(secretsOf(env)).toEqual(["one", "two", "three"]);
});
