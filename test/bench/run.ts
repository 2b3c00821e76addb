// Measures whole processes against floors and says whether the limits of contract §10 hold. `npm run bench -- --help`.
import { readdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { holds, type Line, type Measurement, tableOf } from "./line.ts";
import { Machine } from "./machine.ts";

const HELP = `npm run bench -- [options]

  --quick              leave out the directory of ten times as many jobs
  --jobs <n>           jobs in a directory (default 10000, which the limits are meant for)
  --thoroughness <n>   run everything n times as often (default 1); for a noisy machine
  --only <name>        one measurement alone: a file name in test/bench/lines/, without .ts; may be repeated
  --scratch <dir>      where the job files go (default: the system's temp directory); should be on a real disk
`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    quick: { type: "boolean", default: false },
    jobs: { type: "string", default: "10000" },
    thoroughness: { type: "string", default: "1" },
    only: { type: "string", multiple: true },
    scratch: { type: "string" },
  },
});

if (values.help) process.stdout.write(HELP);
else process.exitCode = await bench();

async function bench(): Promise<number> {
  const options = { jobs: Number(values.jobs), thoroughness: Number(values.thoroughness), quick: values.quick };
  using machine = new Machine(values.scratch);
  // What else makes temp directories makes them here too, and they go with it.
  process.env["TMPDIR"] = machine.scratch;
  const lines: Line[] = [];
  for (const measurement of await measurements()) {
    process.stderr.write(`${measurement.name} …\n`);
    const measured = await measurement.measure(machine, options);
    // A whole run takes minutes, and whoever ends it early has these at least.
    process.stderr.write(tableOf(measured));
    lines.push(...measured);
  }
  process.stdout.write(`Node ${process.version}, ${cpus().length} processors; medians of whole processes run in turn\n\n`);
  process.stdout.write(tableOf(lines));
  return lines.every(holds) ? 0 : 1;
}

async function measurements(): Promise<Measurement[]> {
  const directory = join(import.meta.dirname, "lines");
  const names = readdirSync(directory)
    .map((file) => file.replace(/\.ts$/, ""))
    .sort();
  const chosen = names.filter((name) => values.only === undefined || values.only.includes(name));
  if (chosen.length === 0) throw new Error(`--only ${values.only}: there is none; there are ${names.join(", ")}`);
  return Promise.all(chosen.map(async (name): Promise<Measurement> => (await import(join(directory, `${name}.ts`))).measurement));
}
