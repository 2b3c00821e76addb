import { readFileSync } from "node:fs";

/** Whether a process lives. One that was killed and that nobody has waited for does not. */
export function livesAs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

/** Whether the process lives whose id stands in a file. */
export function livesIn(pidFile: string): boolean {
  return livesAs(Number(readFileSync(pidFile, "utf8")));
}
