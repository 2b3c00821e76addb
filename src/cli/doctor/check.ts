import type { Examined } from "./examined.ts";
import type { Finding } from "./finding.ts";

/** One question that doctor asks. It reads, and changes nothing. What it throws becomes a finding of its own. */
export interface Check {
  /** What it looks at, in a word or two. */
  readonly name: string;
  look(examined: Examined): Promise<readonly Finding[]> | readonly Finding[];
}
