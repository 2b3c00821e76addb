import { type Environment, processEnvironment } from "./environment.ts";
import { EXIT } from "./exit-code.ts";
import { runProgram } from "./program.ts";

const MINIMUM_NODE = "22.13";

async function main(): Promise<void> {
  if (!("rawJSON" in JSON)) {
    process.stderr.write(
      `harness-wake needs Node ${MINIMUM_NODE} or later; this is ${process.version}. Install it, or run: npx -p node@24 harness-wake\n`,
    );
    process.exitCode = EXIT.usage;
    return;
  }
  const environment = surroundings();
  const exitCode = environment === undefined ? EXIT.environment : await runProgram(process.argv.slice(2), environment);
  // Everything is written by now, synchronously; taking the heap down in order would cost a large tick a tenth of its time.
  process.exit(exitCode);
}

/** Undefined, and told, where the process stands in a directory that was removed under it. */
function surroundings(): Environment | undefined {
  try {
    return processEnvironment();
  } catch (error) {
    process.stderr.write(`harness-wake: the working directory is gone (${String(error)}); change to one that is there\n`);
    return undefined;
  }
}

void main();
