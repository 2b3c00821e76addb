// Builds dist/: the library by tsc, file by file with types, and the command line as one minified file, since its start
// is most of what a small tick costs.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, renameSync, rmSync } from "node:fs";
import { build } from "esbuild";

/** Node's own modules that a quiet tick never calls. Loading them costs a third of its start, so they load on first use. */
const LATE = ["node:child_process", "node:crypto", "node:os", "node:timers/promises", "node:tty"];

const loadLate = {
  name: "load-late",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      LATE.includes(path) && namespace !== "late" ? { path, namespace: "late" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path));
      const getters = names.map((name) => `get ${name}() { return require(${JSON.stringify(path)}).${name}; }`);
      return { contents: `module.exports = { ${getters.join(", ")} };` };
    });
  },
};

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

// Made beside what is in use and put in its place at once: npx may build again while a tick of before still runs.
const fresh = `dist-${process.pid}`;
// By its path: a workflow builds with the runner's own node, without npm's search path.
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", fresh], {
  stdio: "inherit",
});
await build({
  entryPoints: ["src/cli/main.ts"],
  outfile: `${fresh}/cli.cjs`,
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  // Each of these loads when its road is taken, and never on a quiet tick.
  external: ["proper-lockfile", "simple-git", "undici"],
  define: { HARNESS_WAKE_VERSION: JSON.stringify(version) },
  plugins: [loadLate],
  banner: { js: "#!/usr/bin/env node" },
  legalComments: "linked",
});
chmodSync(`${fresh}/cli.cjs`, 0o755);
rmSync("dist", { recursive: true, force: true });
renameSync(fresh, "dist");
