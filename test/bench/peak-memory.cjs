// Loaded into a measured process with --require: leaves its peak memory, in bytes, where the bench looks for it.
const { readFileSync, writeFileSync } = require("node:fs");

process.on("exit", () => writeFileSync(process.env.BENCH_PEAK_FILE, String(peakBytes())));

function peakBytes() {
  try {
    // Linux carries maxRSS over from the process that started this one; VmHWM begins with this program.
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
