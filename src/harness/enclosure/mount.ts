/** A directory or file that a run sees otherwise than read-only, or read-only inside one that it may write. */
export interface Mount {
  /** Absolute, links resolved. One that is not there is left out. */
  readonly path: string;
  readonly access: "write" | "read";
}
