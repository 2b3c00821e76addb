import { expect, test } from "vitest";
import { proxiesOf, sparingLoopback } from "../../src/http/proxies.ts";
import { jobErrorOf } from "../support/job-error-of.ts";

test("proxies come from the environment in either case, and lower case wins", () => {
  expect(
    proxiesOf({
      HTTPS_PROXY: "http://upper:1",
      https_proxy: "http://lower:1",
      HTTP_PROXY: "http://plain:1",
      no_proxy: "localhost",
    }),
  ).toMatchObject({ httpProxy: "http://plain:1", httpsProxy: "http://lower:1", noProxy: "localhost" });
});

test("an environment without proxies has none, and an empty variable is none", () => {
  expect(proxiesOf({ HTTPS_PROXY: "" })).toMatchObject({ httpProxy: "", httpsProxy: "" });
});

test("this machine can be reached without one, and everything is where NO_PROXY is a star", () => {
  const noProxy = (value: string) => sparingLoopback(proxiesOf({ NO_PROXY: value })).noProxy;
  expect(noProxy("corp.example")).toBe("corp.example,localhost,127.0.0.1,[::1]");
  expect(noProxy("*")).toBe("*");
});

test("an address without a scheme is an http proxy's", () => {
  expect(proxiesOf({ HTTPS_PROXY: "proxy.example:3128" }).httpsProxy).toBe("http://proxy.example:3128");
  expect(proxiesOf({ HTTPS_PROXY: "me:secret@proxy.example:3128" }).httpsProxy).toBe("http://me:secret@proxy.example:3128");
});

test.each(["socks5://me:secret@host:1", "me:secret", "not an address"])("%s is refused by its name alone", (value) => {
  const error = jobErrorOf(() => proxiesOf({ HTTPS_PROXY: value }));
  expect(error).toMatchObject({ code: "CONFIG", field: "HTTPS_PROXY" });
  expect(error.message).not.toContain(value);
});
