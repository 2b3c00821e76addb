import { readFileSync } from "node:fs";

/** Whether the process lives whose id stands in a file. One that was killed and that nobody has waited for does not. */
export function livesIn(pidFile: string): boolean {
  try {
    const stat = readFileSync(`/proc/${readFileSync(pidFile, "utf8").trim()}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
