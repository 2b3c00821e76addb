import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";

/** Where a program is, as the PATH would find it; undefined where it is not, or may not be run. */
export function findProgram(name: string, path: string | undefined, cwd = "/"): string | undefined {
  if (name.includes("/")) return isProgram(resolve(cwd, name)) ? resolve(cwd, name) : undefined;
  // An empty or relative entry means the working directory, which is the checkout's to fill.
  const directories = (path ?? "").split(delimiter).filter(isAbsolute);
  return directories.map((directory) => join(directory, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
