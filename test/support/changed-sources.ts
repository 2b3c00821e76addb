import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDirectory } from "./temp-directory.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A copy of this project's sources, to be changed and compiled: what does not compile cannot be forgotten. */
export class ChangedSources {
  readonly #directory = tempDirectory();

  constructor() {
    for (const name of ["src", "tsconfig.json", "package.json"]) {
      cpSync(join(ROOT, name), join(this.#directory, name), { recursive: true });
    }
    symlinkSync(join(ROOT, "node_modules"), join(this.#directory, "node_modules"));
  }

  /** Puts a line into a file, after the one line that holds this text. */
  insert(file: string, after: string, line: string): this {
    const path = join(this.#directory, file);
    const lines = readFileSync(path, "utf8").split("\n");
    const [at = -1, ...more] = lines.flatMap((text, i) => (text.includes(after) ? [i] : []));
    if (at < 0 || more.length > 0) throw new Error(`${file} does not hold "${after}" once`);
    writeFileSync(path, lines.toSpliced(at + 1, 0, line).join("\n"));
    return this;
  }

  /** Compiles a file, with all that it imports. Gives what the compiler says; nothing where it compiles. */
  faultsOf(file: string): readonly string[] {
    const config = { extends: "./tsconfig.json", include: [], files: [file] };
    writeFileSync(join(this.#directory, "tsconfig.one.json"), JSON.stringify(config));
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const { stdout, error } = spawnSync(tsc, ["-p", "tsconfig.one.json"], { cwd: this.#directory, encoding: "utf8" });
    if (error !== undefined) throw error;
    return stdout.split("\n").filter((text) => /^\S/.test(text));
  }
}
