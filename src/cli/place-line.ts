import { relative, sep } from "node:path";
import type { OpenedFleet } from "../compose.ts";
import { printable } from "./printable.ts";

/** Which store a table shows, for people: a checkout and the branch on the remote may say different things. */
export function placeLine({ store, settings, root, jobsDirectory }: OpenedFleet): string {
  const directory = printable(relative(root, jobsDirectory).replaceAll(sep, "/") || ".");
  if (store.kind === "file") return `file store: ${directory}`;
  const { remote = "origin", branch } = settings.git;
  return `git store: ${directory} on ${branch ?? "the default branch"} of ${remote}`;
}
