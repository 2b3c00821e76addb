import { isAbsolute, relative } from "node:path";
import { RefusedLine } from "./refused-line.ts";

/**
 * Holds a path to the workspace by its text. Where links lead is looked at when the line is run.
 * Throws RefusedLine for an absolute path elsewhere, and for any that climbs.
 */
export function requireInside(path: string, workspace: string): void {
  if (path.split("/").includes("..")) throw new RefusedLine(`${path} climbs; name paths from where the command runs, without ..`);
  if (!isAbsolute(path) || path === "/dev/null") return;
  if (relative(workspace, path).split("/")[0] === "..") {
    throw new RefusedLine(`${path} is outside of the workspace; give a path inside it`);
  }
}
