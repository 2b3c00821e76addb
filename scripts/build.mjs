// Builds dist/: the library by tsc, file by file with types, and the command line as one minified file, since its start
// is most of what a small tick costs.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
await build({
  entryPoints: ["src/cli/main.ts"],
  outfile: "dist/cli.cjs",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  // Each of these loads when its road is taken, and never on a quiet tick.
  external: ["proper-lockfile", "simple-git", "undici"],
  banner: { js: "#!/usr/bin/env node" },
  legalComments: "linked",
});
chmodSync("dist/cli.cjs", 0o755);
