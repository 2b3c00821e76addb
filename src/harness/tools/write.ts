import { z } from "../../json/zod.ts";
import { defineTool } from "./define-tool.ts";
import { usePlace } from "./locate.ts";
import { FILE_DEADLINE_MS } from "./read.ts";
import { type Tool, text } from "./tool.ts";
import { writeTextFile } from "./write-text-file.ts";

/** The tool that writes a whole file. For agents that may change the workspace. */
export function writeTool(workspace: string): Tool {
  return defineTool({
    name: "write",
    description: "Writes a text file of the workspace whole, in place of what was there; makes the directories that it needs.",
    input: z.strictObject({
      path: z.string().check(z.describe("From the top of the workspace.")),
      content: z.string(),
    }),
    deadlineMs: () => FILE_DEADLINE_MS,
    act: ({ path, content }) =>
      usePlace(workspace, path, "write", (place) => {
        writeTextFile(place, content);
        return text(`${place.path} is written: ${Buffer.byteLength(content)} bytes`);
      }),
  });
}
