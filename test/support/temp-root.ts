import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives the whole run, with every process that its tests start, a temp directory of its own: nothing that lies in the
 * machine's meets a test, and nothing of a test stays in it. The test runner calls this before the first test.
 */
export default function setUp(): () => void {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "harness-wake-run-")));
  // Tests that run a command as another user reach it too.
  chmodSync(root, 0o755);
  process.env["TMPDIR"] = root;
  return () => rmSync(root, { recursive: true, force: true });
}
