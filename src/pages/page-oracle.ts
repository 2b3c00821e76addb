import type { PageAtHead } from "../job/decide.ts";

/** The pages at one commit, pinned: every question of a pass is answered from the same tree. */
export interface PagesAtHead {
  /** Which of the pages `p/<address>.md` stand as non-empty regular files. Answers every address that was asked. */
  states(addresses: readonly string[]): Promise<ReadonlyMap<string, PageAtHead>>;
}

/** Says what stands at git HEAD (contract §1). Both calls throw JobError TRUTH_UNAVAILABLE when git cannot say. */
export interface PageOracle {
  /** Resolves HEAD now. A pass asks once, and only when a job needs a page. */
  atHead(): Promise<PagesAtHead>;
}
