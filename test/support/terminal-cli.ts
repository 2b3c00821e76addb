// The command line as a person at a terminal sees it, wherever stdout goes.
import { processEnvironment } from "../../src/cli/environment.ts";
import { runProgram } from "../../src/cli/program.ts";

void runProgram(process.argv.slice(2), { ...processEnvironment(), stdoutIsTerminal: true }).then((code) => {
  process.exitCode = code;
});
