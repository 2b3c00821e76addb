import { openRepository } from "../../src/harness/workspace/repository.ts";
import { openWorktree } from "../../src/harness/workspace/worktree.ts";
import { GIT_ENV } from "./git.ts";

/** A worker that opens a worktree, says where it is, and then stays. */
const [checkout = "", parent = "", name = ""] = process.argv.slice(2);

const repository = await openRepository({ directory: checkout, env: GIT_ENV });
const jobsDirectory = `${checkout}/wake_jobs`;
const { directory } = await openWorktree({ repository, remote: undefined, branch: undefined, jobsDirectory, parent, name });
process.send?.({ directory });
process.on("disconnect", () => process.exit());
