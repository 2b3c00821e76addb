/**
 * A run that starts a command in an enclosure of its own, inside the one that it is in itself. It holds a secret in its
 * environment and in its memory. Writes which kind it found, and what the command wrote.
 */
import { environmentVariables } from "../../src/facts/process-environment.ts";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import { runEnclosed } from "../../src/harness/enclosure/run-enclosed.ts";

const [command = "", workspace = ""] = process.argv.slice(2);
const enclosure = await findEnclosure({ choice: "auto", env: environmentVariables(), isInner: true });
const run = runEnclosed(enclosure, {
  argv: ["sh", "-c", command],
  cwd: workspace,
  env: { PATH: process.env["PATH"] ?? "", OUTER: String(process.pid) },
  mounts: [{ path: workspace, access: "write" }],
  stdin: "",
  onStdout: (chunk) => process.stdout.write(chunk),
  onStderr: (chunk) => process.stdout.write(chunk),
});
const end = await run.ended;
process.stdout.write(`\n${enclosure.kind} ${JSON.stringify(end)}\n`);
