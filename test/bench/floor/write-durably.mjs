// The least that a tick which moves every job could do: replace each file of a directory by temp file, fsync and rename,
// 32 at a time, and flush the directory. What it writes was made before and is as long as what the tick writes.
import { closeSync, fsync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";

const AT_ONCE = 32;
const [directory, ...sampleFiles] = process.argv.slice(2);
const samples = sampleFiles.map((file) => readFileSync(file, "utf8"));
const flush = promisify(fsync);

const queue = readdirSync(directory).entries();
async function lane() {
  for (const [i, name] of queue) {
    const temp = `${directory}/.${name}.tmp`;
    const descriptor = openSync(temp, "wx");
    writeFileSync(descriptor, samples[i % samples.length]);
    await flush(descriptor);
    closeSync(descriptor);
    renameSync(temp, `${directory}/${name}`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, lane));
fsyncSync(openSync(directory, "r"));
