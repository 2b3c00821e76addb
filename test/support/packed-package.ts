import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { tempDirectory } from "./temp-directory.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Packs this package as it would be published. Gives the path of the file. */
export function packPackage(): string {
  const directory = tempDirectory();
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", directory, "--cache", tempDirectory()];
  const packed = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" });
  const file = readdirSync(directory).find((name) => name.endsWith(".tgz"));
  if (file === undefined) throw new Error(`npm pack left no package: ${packed}`);
  return join(directory, file);
}
