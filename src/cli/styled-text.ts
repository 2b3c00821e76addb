/** How a span of text looks on a terminal that shows colours. Never the only sign: without it the words say the same. */
export type Style = "alarm" | "caution" | "good" | "quiet" | "heading";

/** A piece of a line. Its words may come from a job file: whoever prints it makes them harmless first. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export type Line = readonly Span[];

/** Where text for people goes. */
export interface Screen {
  /** How many cells a line has; undefined where it may be as long as it likes. */
  readonly columns: number | undefined;
  readonly colour: boolean;
}

/** A line of one span. */
export function line(text: string, style?: Style): Line {
  return [{ text, ...(style !== undefined && { style }) }];
}
