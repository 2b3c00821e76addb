import { expect, test } from "vitest";
import { proxiesOf } from "../../src/http/proxies.ts";
import { jobErrorOf } from "../support/job-error-of.ts";

test("proxies come from the environment in either case, and lower case wins", () => {
  expect(
    proxiesOf({
      HTTPS_PROXY: "http://upper:1",
      https_proxy: "http://lower:1",
      HTTP_PROXY: "http://plain:1",
      no_proxy: "localhost",
    }),
  ).toEqual({ httpProxy: "http://plain:1", httpsProxy: "http://lower:1", noProxy: "localhost" });
});

test("an environment without proxies has none, and an empty variable is none", () => {
  expect(proxiesOf({ HTTPS_PROXY: "" })).toEqual({ httpProxy: "", httpsProxy: "", noProxy: "" });
});

test.each(["socks5://me:secret@host:1", "me:secret", "host:3128", "not an address"])(
  "%s is refused by its name alone",
  (value) => {
    const error = jobErrorOf(() => proxiesOf({ HTTPS_PROXY: value }));
    expect(error).toMatchObject({ code: "CONFIG", field: "HTTPS_PROXY" });
    expect(error.message).not.toContain(value);
  },
);
