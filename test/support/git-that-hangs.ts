import { openGit } from "../../src/git/open-git.ts";
import { GIT_ENV } from "./git.ts";

/**
 * Runs a git that hangs. With `finishing` the program ends on SIGTERM by itself, once it has said so, as one does that has
 * something to finish first.
 */
const [directory = "", PATH = "", finishing] = process.argv.slice(2);

if (finishing === "finishing") {
  process.on("SIGTERM", () => process.send?.("finishing", undefined, undefined, () => undefined));
  process.on("message", () => process.exit(0));
} else {
  process.channel?.unref();
}
await openGit({ directory, env: { ...GIT_ENV, PATH } }).run(["fetch"]);
