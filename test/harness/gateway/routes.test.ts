import fc from "fast-check";
import { expect, test } from "vitest";
import { routeOf } from "../../../src/harness/gateway/routes.ts";

test.each([
  ["/v1/messages", "messages"],
  ["/v1/messages?beta=true", "messages"],
  ["/v1/messages/count_tokens?beta=true", "count_tokens"],
  ["/v1/responses", "responses"],
  ["/v1/chat/completions", "chat"],
])("POST %s goes to the API, its query with it", (target, api) => {
  expect(routeOf("POST", target)).toEqual({ api, path: target });
});

test.each([
  "http://127.0.0.1:1/v1/messages",
  "https://evil.example/v1/messages",
  "//evil.example/v1/messages",
  "evil.example:443",
  "*",
  "",
  "/",
  "/v1",
  "/v1/messages/",
  "/v1/messages/batches",
  "/V1/MESSAGES",
  "/v1/../v1/messages",
  "/v1/%6dessages",
  "/v1/messages#x",
  "/v1/messages?a#x",
  "/v1/messages?a b",
  "/v1/messages?a\r\nhost: evil",
  "/v1/messages\\..\\files",
  "/v1/files",
  "/v1/models",
  "/v1/responses/resp_1/cancel",
  "/v1/organizations/api_keys",
  "/constructor",
  "/__proto__",
])("POST %s goes nowhere", (target) => {
  expect(routeOf("POST", target)).toBeNull();
});

test("no other method goes anywhere", () => {
  fc.assert(
    fc.property(fc.constantFrom("GET", "HEAD", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "post", ""), (method) => {
      expect(routeOf(method, "/v1/messages")).toBeNull();
    }),
  );
});

test("whatever the target is, it is one of four paths with a query after it, or no route", () => {
  const parts = fc.constantFrom(
    "/v1",
    "/messages",
    "/responses",
    "/chat/completions",
    "?",
    "#",
    "..",
    "//",
    "http://h",
    "@",
    "%2e",
    "x",
  );
  fc.assert(
    fc.property(
      fc.array(parts).map((some) => some.join("")),
      (target) => {
        const route = routeOf("POST", target);
        if (route !== null) expect(route.path).toMatch(/^\/v1\/(messages|responses|chat\/completions)(\?[^#]*)?$/);
      },
    ),
  );
});
