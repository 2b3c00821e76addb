import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeJobs } from "../bench/bench-jobs.ts";
import { CHROMIUM, startChromium } from "../support/chromium.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { contrastsOn } from "../support/contrast.ts";
import { expectedFleet, fleetRepository } from "../support/fleet-repository.ts";
import { harborFleet } from "../support/harbor-fleet.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const PHONE = { viewport: { width: 360, height: 740 } };

describe.skipIf(CHROMIUM === undefined)("the page of report in Chromium (skipped where none is installed)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  async function pageFileOf(cwd: string): Promise<string> {
    const path = join(tempDirectory(), "wake.html");
    await runInProcess({ cwd }, "report", "--now", atNoon(), "--out", path);
    return path;
  }

  /** Opens a fleet's page and sees to it that it asks for nothing and complains of nothing. */
  async function withPage(cwd: string, options: BrowserContextOptions, look: (page: Page) => Promise<void>): Promise<void> {
    const address = pathToFileURL(await pageFileOf(cwd)).href;
    const context = await browser.newContext(options);
    const requests: string[] = [];
    const complaints: string[] = [];
    const page = await context.newPage();
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => {
      complaints.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(address);
    await look(page);
    expect(requests.filter((url) => url !== address && url !== "data:,")).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  }

  function overflow(page: Page): Promise<number> {
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  }

  function fleetOf(fields: object): string {
    const directory = tempDirectory();
    mkdirSync(join(directory, "wake_jobs"));
    putJob(join(directory, "wake_jobs"), "harbor-odd-000001", fields);
    return directory;
  }

  test("shows what needs a person first, and says why and what to do", async () => {
    await withPage(harborFleet(), {}, async (page) => {
      expect(await page.title()).toBe("6 of 14 jobs need a person");
      const articles = page.locator("article");
      expect(await articles.count()).toBe(14);
      expect(await articles.nth(1).textContent()).toMatch(
        /^\s*harbor-failing-01 ! mail failing\s.*HTTP 503.*To do: mend the ntfy host/s,
      );
      expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
        "What needs a person",
        "The fleet by state",
        "Ticks",
        "Spent",
        "Jobs that go on by themselves",
      ]);
      expect(await page.getByRole("row", { name: /^All / }).textContent()).toMatch(/106,400/);
    });
  });

  test("draws leases, claims and mails where their moments stand on one scale", async () => {
    await withPage(harborFleet(), {}, async (page) => {
      const drawing = page.locator("#job-harbor-working-01 svg[role=img]");
      expect(await drawing.getAttribute("aria-label")).toMatch(/^Timeline: 1 attempt from 2026-11-30T/);
      const edge = async (part: string, side: "left" | "right"): Promise<number> => {
        const box = await drawing.locator(part).boundingBox();
        return box === null ? Number.NaN : box.x + (side === "left" ? 0 : box.width);
      };
      const [leased, claimed] = [await edge(".lease", "left"), await edge(".claim", "left")];
      const [now, until] = [await edge(".now", "left"), await edge(".lease", "right")];
      expect([leased, claimed, now, until]).toEqual([leased, claimed, now, until].toSorted((a, b) => a - b));
      // Offered 900 seconds ago, claimed 800 seconds ago.
      expect((claimed - leased) / (now - leased)).toBeCloseTo(1 / 9, 1);
    });
  });

  test.each([
    ["light", {}],
    ["dark", {}],
    ["light", PHONE],
    ["dark", PHONE],
  ] as const)(
    "texts stand out by 4.5 to 1 and forms by 3 to 1, %s %j, and nothing runs over the edge",
    async (colorScheme, size) => {
      await withPage(harborFleet(), { colorScheme, ...size }, async (page) => {
        await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
        const { texts, forms } = await contrastsOn(page);
        expect(texts.length).toBeGreaterThan(100);
        expect(forms.length).toBeGreaterThan(20);
        expect(texts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
        expect(forms.filter(({ ratio }) => ratio < 3)).toEqual([]);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
      });
    },
  );

  test("is read by keyboard alone: the links lead to their sections, and a history opens", async () => {
    await withPage(harborFleet(), {}, async (page) => {
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
      await page.keyboard.press("Enter");
      expect(new URL(page.url()).hash).toBe("#states");
      const summary = page.locator("#job-harbor-working-01 summary");
      await summary.focus();
      await page.keyboard.press("Enter");
      expect(await page.locator("#job-harbor-working-01 details").getAttribute("open")).toBe("");
    });
  });

  test("a screen reader finds landmarks, names for every drawing, and one level of headings after the other", async () => {
    await withPage(harborFleet(), {}, async (page) => {
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      for (const landmark of ["banner", "navigation", "main"] as const) expect(await page.getByRole(landmark).count()).toBe(1);
      expect(await page.locator("svg:not([aria-hidden=true]):not([aria-label])").count()).toBe(0);
      const levels = await page.locator("h1, h2, h3").evaluateAll((all) => all.map(({ tagName }) => Number(tagName.slice(1))));
      expect(levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1)).toEqual([]);
      const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  test("in print the histories are open, and no link is left", async () => {
    await withPage(harborFleet(), {}, async (page) => {
      await page.emulateMedia({ media: "print" });
      expect(await page.locator("nav").isVisible()).toBe(false);
      const box = await page.locator("#job-harbor-working-01 table").boundingBox();
      expect(box?.height).toBeGreaterThan(20);
    });
  });

  test.each([
    ["a script", "<script>document.title = 'taken'; alert(1)</script><img src=x onerror=alert(1)>"],
    ["a thousand characters without a space", "W".repeat(1000)],
    ["right-to-left text", "قم بتحديث المستودع ثم أعد تشغيل الاختبارات (v2.0)"],
  ])("an objective that is %s stays a text within its bounds", async (_, objective) => {
    await withPage(fleetOf({ objective }), PHONE, async (page) => {
      expect(await page.title()).toBe("1 of 1 job needs a person");
      expect(await page.locator("article p").first().textContent()).toBe(objective);
      expect(await page.locator("script, img").count()).toBe(0);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    });
  });

  test("right-to-left text is set from the right, and turns nothing beside it", async () => {
    await withPage(fleetOf({ objective: "قم بتحديث المستودع" }), {}, async (page) => {
      const directionOf = (part: string) => page.evaluate(`getComputedStyle(document.querySelector("${part}")).direction`);
      expect([await directionOf("article p"), await directionOf("article dl")]).toEqual(["rtl", "ltr"]);
    });
  });

  test("an empty fleet and one of every kind of job are shown", async () => {
    const empty = tempDirectory();
    mkdirSync(join(empty, "wake_jobs"));
    await withPage(empty, {}, async (page) => expect(await page.locator("article").count()).toBe(0));
    const { jobs } = expectedFleet();
    await withPage(fleetRepository(), {}, async (page) =>
      expect(await page.locator("article").count()).toBe(Object.keys(jobs).length),
    );
  });

  test("a thousand jobs open in less than a second", async () => {
    const directory = tempDirectory();
    writeJobs(join(directory, "wake_jobs"), 1000, atNoon(3600));
    await withPage(directory, {}, async (page) => {
      expect(await page.locator("article").count()).toBe(1000);
      // A busy machine makes some of the times long; the best of a few is the page's own.
      const times: number[] = [];
      for (let i = 0; i < 5; i++) {
        await page.reload();
        times.push(await page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"));
      }
      expect(Math.min(...times)).toBeLessThan(1000);
    });
  });
});
