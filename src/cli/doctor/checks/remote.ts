import { whyNotOne } from "../../../git/remote.ts";
import type { Check } from "../check.ts";
import type { Examined, RemoteLook } from "../examined.ts";
import { type Finding, note, ok, trouble } from "../finding.ts";

export const remoteCheck: Check = {
  name: "remote",
  look: async (examined) => {
    if (!examined.hasRepository) return [];
    const look = await examined.remote();
    const { name, remote } = look;
    switch (remote.state) {
      case "failed":
        return [
          trouble(`git cannot list its remotes: ${remote.why}`, "nothing can be asked or pushed", {
            decision: "mend the repository's git config",
          }),
        ];
      case "absent":
        return [noRemote(examined, name)];
      case "found":
        return reached(examined, look);
    }
  },
};

function noRemote({ isGitStore }: Examined, name: string): Finding {
  const found = `there is no git remote "${name}"`;
  const decision = `say where it is: git remote add ${name} ADDRESS`;
  return isGitStore
    ? trouble(found, "the jobs live on it, so nothing works here", { decision })
    : note(found, "a page counts as soon as it is committed here");
}

async function reached(
  examined: Examined,
  { name, remote, defaultBranch, branch, head }: RemoteLook,
): Promise<readonly Finding[]> {
  const { isGitStore, place } = examined;
  const why = remote.state === "found" ? whyNotOne(remote.value) : undefined;
  if (why !== undefined && isGitStore)
    return [trouble(why, "a git store refuses such a remote", { decision: "name one place to fetch from and push to" })];
  if (defaultBranch.state === "failed") {
    const means = isGitStore ? "no job can be read or moved" : "whether a page stands cannot be known, and its job waits";
    const decision = `see whether this network and these credentials reach it: git ls-remote ${name}`;
    return [trouble(`${name} does not answer: ${defaultBranch.why}`, means, { decision })];
  }
  if (head.state === "failed")
    return [
      trouble(`${name} does not tell the branch ${branch}: ${head.why}`, "no job can be read or moved", {
        decision: "ask again",
      }),
    ];
  if (head.state === "absent") return [noBranch(examined, name, branch)];
  const findings: Finding[] = [ok(`${name} answers; ${branch} is at ${head.value.slice(0, 12)}`)];
  if (isGitStore) findings.push(await pushable(examined, name, branch ?? ""));
  return place.settings.git.sign ? [...findings, await signing(examined)] : findings;
}

function noBranch({ isGitStore }: Examined, name: string, branch: string | undefined): Finding {
  if (branch === undefined) {
    return trouble(`${name} has no branch yet`, "there is nothing to fetch", { command: `git push -u ${name} HEAD` });
  }
  const decision = isGitStore
    ? `find out whether it was deleted or renamed; push it again, or begin anew with harness-wake create --new-branch`
    : "name a branch that is there as git.pages_branch";
  return trouble(`${name} has no branch ${branch}`, isGitStore ? "no job can be read or moved" : "no page can be seen", {
    decision,
  });
}

/** Asks the remote to take a push, and takes it back before anything is sent: credentials are asked for, nothing changes. */
async function pushable({ git }: Examined, name: string, branch: string): Promise<Finding> {
  const own = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const commit = own.stdout.trim();
  if (own.exit_code !== 0 || commit === "")
    return note("no commit here to try a push with", "whether pushes are taken is not known");
  const ref = `refs/heads/harness-wake-doctor-dry-run`;
  const args = ["push", "--dry-run", "--porcelain", "--no-verify", "--no-signed", name, `${commit}:${ref}`];
  const tried = await git.run(args, { waitsForHooks: true });
  if (tried.exit_code === 0) return ok(`${name} takes pushes from here, as far as a dry run can tell`);
  const words = (tried.broken ?? tried.stderr).trim().split("\n")[0] ?? "";
  const decision = `give this account the right to push: git push --dry-run ${name} HEAD:refs/heads/${branch}`;
  return trouble(`${name} takes no push: ${words}`, "no job can be moved from here", { decision });
}

async function signing({ git }: Examined): Promise<Finding> {
  const key = await git.run(["config", "--get", "user.signingkey"]);
  if (key.exit_code === 0) return ok("git.sign: commits are signed with user.signingkey");
  const means = "git looks for a key by the committer's address, and a commit without one fails";
  return note("git.sign is set, and git names no user.signingkey", means, {
    decision: "choose one: git config user.signingkey KEY",
  });
}
