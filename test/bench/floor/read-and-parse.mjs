// The least that a tick over a directory could do: read and parse each of its files.
import { readdirSync, readFileSync } from "node:fs";

const [directory] = process.argv.slice(2);
for (const name of readdirSync(directory)) JSON.parse(readFileSync(`${directory}/${name}`, "utf8"));
