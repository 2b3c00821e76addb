import childProcess, { type execFileSync } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

/** Keeps `npm run test:fast` fast: a test of it that starts a process fails, and says where it belongs instead. */
function refuse(): never {
  throw new Error("a fast test starts no process: name its file *.process.test.ts (CONTRIBUTING.md)");
}

const run: typeof execFileSync = childProcess.execFileSync;

const STARTERS = ["spawn", "spawnSync", "exec", "execSync", "execFile", "fork"] as const;
Object.assign(childProcess, Object.fromEntries(STARTERS.map((name) => [name, refuse])), {
  // Node cannot make a named pipe by itself, and the program that does takes no time.
  execFileSync: (file: string, args: readonly string[]) => (file === "mkfifo" ? run(file, args) : refuse()),
});
syncBuiltinESMExports();
