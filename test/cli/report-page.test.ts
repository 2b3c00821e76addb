import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { html } from "../../src/cli/page/html.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { harborFleet } from "../support/harbor-fleet.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

let cwd: string;
beforeAll(() => {
  cwd = harborFleet();
});

function reportOf(directory: string, ...args: readonly string[]) {
  return runInProcess({ cwd: directory }, "report", "--now", atNoon(), ...args);
}

async function pageOf(directory: string, ...args: readonly string[]): Promise<string> {
  const path = join(tempDirectory(), "wake.html");
  await reportOf(directory, "--out", path, ...args);
  return readFileSync(path, "utf8");
}

describe("report", () => {
  test("writes one page and changes no other byte", async () => {
    const before = directoryBytes(cwd);
    const path = join(tempDirectory(), "wake.html");
    const { code, out } = await reportOf(cwd, "--out", path);
    expect([code, JSON.parse(out)]).toEqual([
      1,
      { ok: false, state: "REPORTED", file: path, job_count: 14, need_a_person: 6, schema_version: 1 },
    ]);
    expect(directoryBytes(cwd)).toEqual(before);
    expect(readFileSync(path, "utf8")).toMatch(/^<!doctype html>\n.*<\/html>\n$/s);
  });

  test("replaces an older page, and a link instead of what it leads to", async () => {
    const directory = tempDirectory();
    writeFileSync(join(directory, "precious.txt"), "precious");
    symlinkSync("precious.txt", join(directory, "wake.html"));
    await reportOf(cwd, "--out", join(directory, "wake.html"));
    await reportOf(cwd, "--out", join(directory, "wake.html"));
    expect(Object.keys(directoryBytes(directory))).toEqual(["precious.txt", "wake.html"]);
    expect(readFileSync(join(directory, "precious.txt"), "utf8")).toBe("precious");
  });

  test("takes the filters of list", async () => {
    const page = await pageOf(cwd, "--status", "working");
    expect(page).toContain("0 of 1 job need a person");
    expect(page).not.toContain("harbor-waiting-01");
  });

  test.each([
    [["--out", "-"], 2, "USAGE"],
    [["--out", ""], 2, "USAGE"],
    [[], 2, "USAGE"],
    [["--out", "wake_jobs/harbor-done-00001.json"], 2, "USAGE"],
    [["--out", "nowhere/wake.html"], 4, "IO"],
    [["--out", "."], 4, "IO"],
  ])("%j is refused, and nothing is written", async (args, exit, code) => {
    const before = directoryBytes(cwd);
    const run = await reportOf(cwd, ...args);
    expect([run.code, JSON.parse(run.out)]).toMatchObject([exit, { ok: false, code }]);
    expect(directoryBytes(cwd)).toEqual(before);
  });

  test("a fleet without a job has a page too", async () => {
    const empty = tempDirectory();
    mkdirSync(join(empty, "wake_jobs"));
    const page = await pageOf(empty);
    expect(page).toContain("<h1>No jobs</h1>");
  });
});

describe("what a job file says", () => {
  const HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-->]]></style></title><svg/onload=alert(1)>",
    "&lt;script&gt; &#x3c;",
    "a\u0000b\u001b[31m\u202egnp.exe",
  ];

  test.each(HOSTILE)("never becomes markup: %j", async (words) => {
    const directory = tempDirectory();
    mkdirSync(join(directory, "wake_jobs"));
    const receipts = [
      { attempt_id: "hostile-job-01-a01", event: "wake", lease_id: words, ts: atNoon(-600), worker_id: words },
      { attempt_id: "hostile-job-01-a01", event: "deliver", carrier: "FAILED", host: words, error: words, ts: atNoon(-500) },
      { attempt_id: words, event: words, detail: words, ts: atNoon(-400) },
    ];
    putJob(join(directory, "wake_jobs"), "hostile-job-01", {
      objective: words,
      harness: words.replaceAll(/[^ -~]/g, "?"),
      event_receipts: receipts,
      status: "BLOCKED",
      lease: { lease_id: words, holder: words, until: atNoon(600) },
      blocker: { kind: "external_authority", detail: words, fingerprint: words },
      last_blocker_fingerprint: words,
    });
    writeFileSync(join(directory, "wake_jobs", `${words.replaceAll(/[/\0]/g, "_")}.json`), "{");
    const page = await pageOf(directory);
    expect(page).toContain("hostile-job-01");
    expect(page).not.toMatch(/<script|<img|<svg\/|(?!\n)\p{Cc}|\p{Bidi_Control}/u);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(page.match(/<\/title>/g)).toHaveLength(1);
  });

  test("is escaped by construction, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const markup = String(html`<b title="${text}">${text}</b>`);
        const [, attribute = "", content = ""] = /^<b title="([^"]*)">(.*)<\/b>$/s.exec(markup) ?? [];
        expect(content).toBe(attribute);
        expect(content).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
      }),
    );
  });
});

test("a policy forbids scripts, and all that would be loaded", async () => {
  const page = await pageOf(cwd);
  expect(page).toMatch(
    /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-[\w+/]+=&#39;; img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;">/,
  );
  expect(page).not.toMatch(/(?:src|href)="(?!#|data:,)/);
  expect(page).not.toContain("style=");
});

test("a page that cannot be put in place leaves nothing behind", async () => {
  const directory = tempDirectory();
  mkdirSync(join(directory, "wake.html"));
  expect((await reportOf(cwd, "--out", join(directory, "wake.html"))).code).toBe(4);
  expect(Object.keys(directoryBytes(directory))).toEqual([]);
  expect(existsSync(join(directory, "wake.html"))).toBe(true);
});
