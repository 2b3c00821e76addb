import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFleet } from "../../src/compose.ts";
import { formatMail } from "../../src/mail/wake-mail.ts";
import { type NtfyServer, startNtfyServer } from "../support/ntfy-server.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { wakeMail } from "../support/wake-letter.ts";

let ntfy: NtfyServer;
let dir: string;

beforeEach(async () => {
  ntfy = await startNtfyServer({ authorizations: ["Bearer tk_good"] });
  dir = tempDirectory();
});

afterEach(async () => {
  await ntfy.down();
});

function configure(token_env?: string): void {
  const config = { ntfy: { urls: [`${ntfy.url}/wakes`], ...(token_env && { token_env }) } };
  writeFileSync(join(dir, "harness-wake.json"), JSON.stringify(config));
}

test("the inbox of a fleet reads the configured topics with the configured token", async () => {
  configure("NTFY_TOKEN");
  ntfy.post("wakes", formatMail(wakeMail(1)));
  const fleet = await openFleet({ dir, env: { NTFY_TOKEN: "tk_good" } });
  expect(await fleet.openInbox().poll()).toEqual([wakeMail(1)]);
});

test("its caller is told of a host that gives no mail", async () => {
  configure();
  const told: unknown[] = [];
  const fleet = await openFleet({ dir, env: {} });
  expect(await fleet.openInbox((trouble) => told.push(trouble)).poll()).toEqual([]);
  expect(told).toEqual([{ host: ntfy.url, http_status: 403, error: "HTTP 403" }]);
});

test("without a topic, or with a token that is not there, it is refused as the mailer is", async () => {
  const bare = await openFleet({ dir, env: {} });
  expect(() => bare.openInbox()).toThrow(
    expect.objectContaining({ code: "CONFIG", message: expect.stringContaining("ntfy.urls") }),
  );
  configure("NTFY_TOKEN");
  const fleet = await openFleet({ dir, env: {} });
  expect(() => fleet.openInbox()).toThrow(
    expect.objectContaining({ code: "CONFIG", message: expect.stringContaining("NTFY_TOKEN") }),
  );
  expect(() => fleet.openMailer()).toThrow(expect.objectContaining({ code: "CONFIG" }));
});
