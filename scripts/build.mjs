// Builds dist/: the library by tsc, file by file with types, and the command line as few minified files, since its start is
// most of what a small tick costs: `cli.cjs` holds what a quiet tick needs, and the rest loads on first use.
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build, transform } from "esbuild";

const SOURCES = ["src", "node_modules/commander/lib"].flatMap((directory) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => readFileSync(join(directory, file), "utf8")),
);
const MAIN = resolve("src/cli/main.ts");

/** Node's own modules that a quiet tick never calls. Loading them costs a third of its start. */
const LATE = ["node:child_process", "node:crypto", "node:os", "node:timers/promises", "node:tty"];

/** zod, of which a quiet tick over jobs as the program writes them needs nothing (src/json/zod.ts). */
const ZOD_FILE = "./zod.cjs";

/** What else a quiet tick leaves alone: a dynamic import leads to each. */
const ROADS = /\/src\/(?:cli\/verbs|store\/git-job-store|compose-worker)\.ts$/;

/** Stands in for a module, and loads it when one of its exports is first asked for. */
function loadOnUse(names, path) {
  const getters = names.map((name) => `get ${name}() { return require(${JSON.stringify(path)}).${name}; }`);
  return { contents: `module.exports = { ${getters.join(", ")} };` };
}

const loadLate = {
  name: "load-late",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      LATE.includes(path) && namespace !== "late" ? { path, namespace: "late" } : undefined,
    );
    onLoad({ filter: /^node:/, namespace: "late" }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path));
      return loadOnUse(
        names.filter((name) => SOURCES.some((text) => text.includes(name))),
        path,
      );
    });
    onResolve({ filter: /\/zod\.ts$/ }, () => ({ path: ZOD_FILE, namespace: "late" }));
    onLoad({ filter: /zod/, namespace: "late" }, () => loadOnUse(["z"], ZOD_FILE));
    onResolve({ filter: /zod/, namespace: "late" }, () => ({ path: ZOD_FILE, external: true }));
  },
};

/** Makes each road need all of the main part: else that would be cut up by what each of them shares with it. */
const needMain = {
  name: "need-main",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/src\/cli\/main\.ts$/ }, () => ({ path: MAIN, sideEffects: true }));
    onLoad({ filter: ROADS }, ({ path }) => ({
      contents: `${readFileSync(path, "utf8")}\nimport ${JSON.stringify(MAIN)};`,
      loader: "ts",
    }));
  },
};

/** What the sources use of zod: a fifth of it. */
function usedOfZod() {
  const used = SOURCES.flatMap((text) => [...text.matchAll(/\bz\.([a-z]\w*)/g)].map(([, name]) => name));
  const members = [...new Set(used)].filter((name) => name !== "infer").map((name) => `${name}: all.${name}`);
  return `import * as all from "zod/mini"; all.config({ jitless: true }); export const z = { ${members.join(", ")} };`;
}

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

// Made beside what is in use and put in its place at once: npx may build again while a tick of before still runs.
const fresh = `dist-${process.pid}`;
// By its path: a workflow builds with the runner's own node, without npm's search path.
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", fresh], {
  stdio: "inherit",
});

const common = { bundle: true, minify: true, platform: "node", target: "node22", legalComments: "linked" };
const parts = join(fresh, "parts");
const { metafile } = await build({
  ...common,
  entryPoints: { cli: MAIN },
  outdir: parts,
  chunkNames: "[name]-[hash]",
  // Only modules can be split into parts. Node starts faster from CommonJS, which they become below.
  format: "esm",
  splitting: true,
  outExtension: { ".js": ".cjs" },
  // Each of these loads when its road is taken, and never on a quiet tick.
  external: ["proper-lockfile", "simple-git", "undici"],
  define: { HARNESS_WAKE_VERSION: JSON.stringify(version) },
  plugins: [loadLate, needMain],
  metafile: true,
});
const main = basename(Object.entries(metafile.outputs).find(([, { inputs }]) => "src/cli/program.ts" in inputs)[0]);
for (const file of readdirSync(parts).map((name) => join(parts, name))) {
  const { code } = await transform(readFileSync(file, "utf8"), {
    ...{ format: "cjs", platform: common.platform, target: common.target, minify: true },
    supported: { "dynamic-import": false },
  });
  if (basename(file) === main)
    writeFileSync(join(fresh, "cli.cjs"), `#!/usr/bin/env node\n${code.replaceAll(/"\.\/([\w-]+\.cjs)"/g, '"./parts/$1"')}`);
  else writeFileSync(file, code.replaceAll(`"./${main}"`, '"../cli.cjs"'));
}
for (const file of ["cli.cjs", main]) rmSync(join(parts, file));
await build({ ...common, stdin: { contents: usedOfZod(), resolveDir: "." }, outfile: join(parts, "zod.cjs"), format: "cjs" });
chmodSync(join(fresh, "cli.cjs"), 0o755);
rmSync("dist", { recursive: true, force: true });
renameSync(fresh, "dist");
