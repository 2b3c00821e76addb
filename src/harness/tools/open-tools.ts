import type { Clock } from "../../facts/clock.ts";
import type { Enclosure } from "../enclosure/enclosure.ts";
import type { Authority, Tool } from "./tool.ts";

export interface ToolsOptions {
  /** The one directory that the tools reach. Absolute, links resolved. */
  readonly workspace: string;
  readonly authority: Authority;
  /** What each command of the shell is closed in, inside whatever closes in the run. */
  readonly enclosure: Pick<Enclosure, "kind" | "cage">;
  /** The whole environment of what the shell runs. No secret belongs into it. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Pick<Clock, "monotonic">;
}

/** The tools of an agent under its authority, all but `submit`: a read-only one gets no write and no edit. */
export function openTools(_options: ToolsOptions): readonly Tool[] {
  return [];
}
