import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * A rival that puts a link to a directory outside in the place of a directory, and a link to a file outside in the place of a
 * file, and takes both away again, as fast as it can, until it is killed. Arguments: the workspace and the directory outside.
 */
const [workspace = "", outside = ""] = process.argv.slice(2);
const [directory, aside] = [join(workspace, "src"), join(workspace, "aside")];
const file = join(workspace, "file.txt");

process.stdout.write("swapping\n");
for (;;) {
  attempt(() => renameSync(directory, aside));
  attempt(() => symlinkSync(outside, directory));
  attempt(() => rmSync(directory, { recursive: true, force: true }));
  attempt(() => renameSync(aside, directory));
  attempt(() => rmSync(file, { force: true }));
  attempt(() => symlinkSync(join(outside, "a.txt"), file));
}

/** The tools make files and directories meanwhile: what fails now goes well in the next round. */
function attempt(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}
