import { z } from "../../json/zod.ts";
import { defineTool } from "./define-tool.ts";
import { type Located, usePlace } from "./locate.ts";
import { FILE_DEADLINE_MS } from "./read.ts";
import { requireTextFile } from "./read-text-file.ts";
import { failure, type Tool, type ToolResult, text } from "./tool.ts";
import { writeTextFile } from "./write-text-file.ts";

const INPUT = z.strictObject({
  path: z.string().check(z.describe("From the top of the workspace.")),
  old_text: z.string().check(z.minLength(1), z.describe("Exactly as it stands in the file.")),
  new_text: z.string(),
  all: z.optional(z.boolean().check(z.describe("Replaces every place."))),
});
type EditInput = z.infer<typeof INPUT>;

/** The tool that replaces a piece of a file. For agents that may change the workspace. */
export function editTool(workspace: string): Tool {
  return defineTool({
    name: "edit",
    description:
      "Replaces a piece of a text file. The old text must stand there exactly once, unless all of its places are meant.",
    input: INPUT,
    deadlineMs: () => FILE_DEADLINE_MS,
    act: (input) => usePlace(workspace, input.path, "change", (place) => edit(place, input)),
  });
}

function edit(place: Located, { old_text: before, new_text: after, all = false }: EditInput): ToolResult {
  const { path } = place;
  const pieces = requireTextFile(place).split(before);
  const places = pieces.length - 1;
  if (places === 0) return failure(`edit: old_text is not in ${path}; read the file and give it exactly as it stands there`);
  if (places > 1 && !all)
    return failure(`edit: old_text is in ${path} ${places} times; give more of what is around it, or set all`);
  writeTextFile(place, pieces.join(after));
  return text(`${path} is changed in ${places === 1 ? "one place" : `${places} places`}`);
}
