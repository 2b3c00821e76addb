import { createInterface } from "node:readline";
import type { EnclosureKind } from "../../src/harness/enclosure/enclosure.ts";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import type { Mount } from "../../src/harness/enclosure/mount.ts";
import { type RunEnd, runEnclosed } from "../../src/harness/enclosure/run-enclosed.ts";

/**
 * A worker with nothing but an enclosure. The first line on its standard input is what to run; each further one a grace in
 * milliseconds, with which to stop it. It tells what it hears in lines of JSON.
 */
export interface EnclosedTask {
  readonly kind: EnclosureKind;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  readonly stdin?: string;
}

export type WorkerLine =
  | { readonly unavailable: string }
  | { readonly out: string }
  | { readonly err: string }
  | { readonly end: RunEnd; readonly bytes: number };

/** More than this of a run's output is counted and not told. */
const TOLD_BYTES_MAX = 1_000_000;

if (import.meta.main) {
  const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
  await work(JSON.parse((await lines.next()).value ?? ""), lines);
  process.exit();
}

function tell(line: WorkerLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function work(task: EnclosedTask, graces: AsyncIterator<string>): Promise<void> {
  const enclosure = await findEnclosure({ choice: "auto", env: process.env, kinds: [task.kind] }).catch((error: Error) => error);
  if (enclosure instanceof Error) return tell({ unavailable: enclosure.message });
  let bytes = 0;
  const run = runEnclosed(enclosure, {
    argv: task.argv,
    cwd: task.cwd,
    env: { PATH: process.env["PATH"] ?? "", ...task.env },
    mounts: task.mounts ?? [],
    stdin: task.stdin ?? "",
    onStdout: (chunk) => {
      bytes += chunk.length;
      if (bytes < TOLD_BYTES_MAX) tell({ out: chunk.toString() });
    },
    onStderr: (chunk) => tell({ err: chunk.toString() }),
  });
  void (async () => {
    for (let next = await graces.next(); !next.done; next = await graces.next()) run.stop("told to", Number(next.value));
  })();
  tell({ end: await run.ended, bytes });
}
