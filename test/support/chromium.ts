import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Debian's, and where else one is told to look. */
const PATHS = [
  process.env["HARNESS_WAKE_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Undefined where none is installed. */
export const CHROMIUM = PATHS.find((path) => path !== "" && existsSync(path));

if (CHROMIUM === undefined) {
  const message = "no Chromium is installed (apt-get install chromium)";
  // CI installs one, and would not notice that it was not used.
  if (process.env["HARNESS_WAKE_CHROMIUM"]) throw new Error(message);
  process.stderr.write(`${message}: the tests of the report in a browser are skipped\n`);
}

/** In a container neither the sandbox nor /dev/shm is to be had. Opens pages of ours alone. */
export function startChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("no Chromium is installed");
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
