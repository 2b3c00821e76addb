import { expect, test } from "vitest";
import type { ErrorKind } from "../../../src/harness/error-kind.ts";
import { kindOfError } from "../../../src/harness/gateway/api-error.ts";

test.each<[number, string, string, ErrorKind]>([
  [401, "authentication_error", "invalid x-api-key", "auth"],
  [401, "", "", "auth"],
  [402, "billing_error", "", "auth"],
  [403, "permission_error", "", "auth"],
  [429, "rate_limit_error", "", "rate_limit"],
  [429, "", "", "rate_limit"],
  [429, "insufficient_quota", "You exceeded your current quota", "auth"],
  [400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum", "context"],
  [400, "context_length_exceeded", "", "context"],
  [413, "request_too_large", "", "context"],
  [413, "", "<html>", "context"],
  [400, "invalid_request_error", "temperature: too hot", "refused"],
  [404, "not_found_error", "model: nope", "refused"],
  [422, "", "", "refused"],
  [500, "api_error", "", "server"],
  [503, "", "", "server"],
  [529, "overloaded_error", "", "server"],
])("HTTP %i with code %j and message %j is %s", (status, code, message, kind) => {
  expect(kindOfError({ status, code, message })).toBe(kind);
});

test("an error in a stream that nobody knows is the API's own", () => {
  expect(kindOfError({ status: undefined, code: "who_knows", message: "" })).toBe("server");
});
