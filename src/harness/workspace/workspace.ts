import type { Mount } from "../enclosure/mount.ts";

/** Where one run works. */
export interface Workspace {
  /** The agent's working directory. Absolute, links resolved. */
  readonly directory: string;
  /** What the run may write, and what inside that it may only read; in the order in which they lie over each other. */
  readonly mounts: readonly Mount[];
  /** Looks at what the run left, runs nothing of it, and clears away what nobody will miss. Call it once, after the run. */
  close(): Promise<WorkspaceEnd>;
}

export type WorkspaceEnd =
  /** A worktree that held nothing new. */
  | { readonly state: "removed"; readonly warnings: readonly string[] }
  /** It holds what exists nowhere else, or could not be removed; `why` says which. */
  | { readonly state: "kept"; readonly directory: string; readonly why: string; readonly warnings: readonly string[] }
  /** The checkout itself: it is the owner's. */
  | { readonly state: "left"; readonly warnings: readonly string[] };
