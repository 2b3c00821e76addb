import type { Enclosure } from "../enclosure/enclosure.ts";
import type { Mount } from "../enclosure/mount.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";
import { searchTool } from "./search.ts";
import { shellTool } from "./shell.ts";
import type { Authority, Tool } from "./tool.ts";
import { writeTool } from "./write.ts";

export interface ToolsOptions {
  /** The one directory that the tools reach. Absolute, links resolved. */
  readonly workspace: string;
  readonly authority: Authority;
  /** What each command of the shell is closed in, inside whatever closes in the run. */
  readonly enclosure: Pick<Enclosure, "cage">;
  /** The whole environment of what the shell runs. No secret belongs into it. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the shell of an agent that may write does so, under an enclosure that protects files; the workspace where left out. */
  readonly mounts?: readonly Mount[];
}

/** The tools of an agent under its authority, all but `submit`: a read-only one gets no write and no edit (contract §12). */
export function openTools(options: ToolsOptions): readonly Tool[] {
  const { workspace, authority, mounts = [{ path: workspace, access: "write" }] } = options;
  const reading = [readTool(workspace), searchTool(workspace), shellTool({ ...options, mounts })];
  switch (authority) {
    case "read_only":
      return reading;
    case "read_write":
      return [...reading, writeTool(workspace), editTool(workspace)];
  }
}
