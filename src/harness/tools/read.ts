import { z } from "../../json/zod.ts";
import { OUTPUT_BYTES_MAX } from "./capped-output.ts";
import { defineTool } from "./define-tool.ts";
import { type Located, usePlace } from "./locate.ts";
import { requireTextFile } from "./read-text-file.ts";
import { failure, type Tool, type ToolResult, text } from "./tool.ts";

/** A file is read at once or not at all; the deadline is for what hangs. */
export const FILE_DEADLINE_MS = 10_000;

const INPUT = z.strictObject({
  path: z.string().check(z.describe("From the top of the workspace.")),
  first_line: z.optional(z.int().check(z.gte(1), z.describe("Where to begin. The first line is 1."))),
  lines: z.optional(z.int().check(z.gte(1), z.describe("How many lines to give."))),
});
type ReadInput = z.infer<typeof INPUT>;

/** The tool that reads a text file, or some lines of it. */
export function readTool(workspace: string): Tool {
  return defineTool({
    name: "read",
    description: `Reads a text file of the workspace. At most ${OUTPUT_BYTES_MAX} bytes are given at a time; the last line then says how to go on.`,
    input: INPUT,
    deadlineMs: () => FILE_DEADLINE_MS,
    act: (input) => usePlace(workspace, input.path, "read", (place) => read(place, input)),
  });
}

function read(place: Located, { first_line: first = 1, lines: linesMax = Number.POSITIVE_INFINITY }: ReadInput): ToolResult {
  const { path } = place;
  const lines = requireTextFile(place).split(/(?<=\n)/);
  if (first > Math.max(lines.length, 1)) return failure(`read: ${path} has ${lines.length} lines; line ${first} is not there`);
  const asked = lines.slice(first - 1, first - 1 + linesMax);
  const given = thatFit(asked);
  const last = first - 1 + given.length;
  if (given.length === asked.length) return text(given.join(""));
  if (given.length > 0)
    return text(`${given.join("")}\n[lines ${first} to ${last} of ${lines.length}; go on with first_line ${last + 1}]`);
  return failure(`read: line ${first} of ${path} alone is more than ${OUTPUT_BYTES_MAX} bytes; look at it with shell and cut`);
}

/** The first of these lines, as many as one answer holds. */
function thatFit(lines: readonly string[]): readonly string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line);
    return bytes > OUTPUT_BYTES_MAX;
  });
  return end === -1 ? lines : lines.slice(0, end);
}
