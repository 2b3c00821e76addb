import { join, relative, sep } from "node:path";

/**
 * Where a repository that has this package installed finds the JSON Schema of a file in `directory`, as the file's `$schema`
 * tells an editor. The program itself reads nothing there.
 */
export function schemaReference(kind: "job" | "config", root: string, directory: string): string {
  const path = relative(directory, join(root, "node_modules/harness-wake/schema", `${kind}.json`)).replaceAll(sep, "/");
  return path.startsWith("../") ? path : `./${path}`;
}
