// Builds dist/: the library by tsc, file by file with types, and the command line as few minified files, since its start is
// most of what a small tick costs: `cli.cjs` holds what a quiet tick needs, and the rest loads on first use.
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { build, transform } from "esbuild";

const MAIN = resolve("src/cli/main.ts");

/** Node's own modules that a quiet tick never calls. Loading them costs a third of its start. */
const LATE = ["node:child_process", "node:crypto", "node:os", "node:timers/promises", "node:tty"];

/** zod, of which a quiet tick over jobs as the program writes them needs nothing (src/json/zod.ts). */
const ZOD_FILE = "./zod.cjs";

/** All that is built in, by path. */
const FILES = ["src", "node_modules/commander/lib"]
  .flatMap((directory) => readdirSync(directory, { recursive: true, encoding: "utf8" }).map((file) => resolve(directory, file)))
  .filter((file) => /\.[jt]s$/.test(file))
  .map((file) => [file, readFileSync(file, "utf8")]);
const SOURCES = FILES.map(([, text]) => text).join("\n");

/** What else a quiet tick leaves alone: a dynamic import leads to each. */
const ROADS = FILES.flatMap(([file, text]) =>
  [...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, path]) => resolve(dirname(file), path)),
);

const USED_OF_ZOD = [...new Set([...SOURCES.matchAll(/\bz\.(?!infer\b)([a-z]\w*)/g)].map(([, name]) => name))];

/** What the sources import of a module by name. */
function importedOf(path) {
  const imports = SOURCES.matchAll(new RegExp(`import (?:\\w+, )?{([^}]*)} from ["']${path}["']`, "g"));
  const names = [...imports].flatMap(([, list]) => list.split(","));
  return [...new Set(names.map((name) => name.trim().split(" as ")[0]))].filter((name) => /^\w+$/.test(name));
}

/** Plain constants: esbuild would put a getter before each name, which is felt in the start and in every call. */
function atOnce(path) {
  return `const all = require("${path}"); export default all; export const { ${importedOf(path).join(", ")} } = all;`;
}

function onFirstCall(path) {
  const functions = importedOf(path).map((name) => `export const ${name} = (...args) => require("${path}").${name}(...args);`);
  return `${functions.join(" ")} export default new Proxy({}, { get: (_, name) => require("${path}")[name] });`;
}

const nodesOwn = {
  name: "nodes-own",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      namespace === "file" ? { path, namespace: "nodes-own" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "nodes-own" }, ({ path }) => ({
      contents: LATE.includes(path) ? onFirstCall(path) : atOnce(path),
    }));
  },
};

const lateZod = {
  name: "late-zod",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/zod\.ts$/ }, () => ({ path: ZOD_FILE, namespace: "late-zod" }));
    onResolve({ filter: /.*/, namespace: "late-zod" }, () => ({ path: ZOD_FILE, external: true }));
    onLoad({ filter: /.*/, namespace: "late-zod" }, () => {
      const getters = USED_OF_ZOD.map((name) => `get ${name}() { return require("${ZOD_FILE}").z.${name}; }`);
      return { contents: `export const z = { ${getters.join(", ")} };` };
    });
  },
};

/** Makes each road need all of the main part: else that would be cut up by what each of them shares with it. */
const needMain = {
  name: "need-main",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/src\/cli\/main\.ts$/ }, () => ({ path: MAIN, sideEffects: true }));
    onLoad({ filter: /\.ts$/ }, ({ path }) =>
      ROADS.includes(path)
        ? { contents: `${readFileSync(path, "utf8")}\nimport ${JSON.stringify(MAIN)};`, loader: "ts" }
        : undefined,
    );
  },
};

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
  plugins: [nodesOwn, lateZod, needMain],
  metafile: true,
});
const main = basename(Object.entries(metafile.outputs).find(([, { inputs }]) => "src/cli/program.ts" in inputs)[0]);
for (const file of readdirSync(parts).map((name) => join(parts, name))) {
  const { code } = await transform(readFileSync(file, "utf8"), {
    ...{ format: "cjs", platform: common.platform, target: common.target, minify: true },
    supported: { "dynamic-import": false },
    define: { "import.meta.dirname": "__dirname" },
  });
  if (basename(file) === main) {
    writeFileSync(join(fresh, "cli.cjs"), `#!/usr/bin/env node\n${code.replaceAll(/"\.\/([\w-]+\.cjs)"/g, '"./parts/$1"')}`);
  } else {
    writeFileSync(file, code.replaceAll(`"./${main}"`, '"../cli.cjs"'));
  }
}
for (const file of ["cli.cjs", main]) rmSync(join(parts, file));
chmodSync(join(fresh, "cli.cjs"), 0o755);

const usedOfZod = USED_OF_ZOD.map((name) => `${name}: all.${name}`).join(", ");
const zodPart = `import * as all from "zod/mini"; all.config({ jitless: true }); export const z = { ${usedOfZod} };`;
await build({ ...common, stdin: { contents: zodPart, resolveDir: "." }, outfile: join(parts, "zod.cjs"), format: "cjs" });

rmSync("dist", { recursive: true, force: true });
renameSync(fresh, "dist");
