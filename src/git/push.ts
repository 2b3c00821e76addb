import type { Commit } from "./commit-files.ts";
import type { Git } from "./git.ts";
import { complaintOf, wordsOf } from "./git-words.ts";

/**
 * What became of a push, by the status line that git prints for it. What the remote says besides is for people: it may
 * speak of rules that did not stop anything.
 */
export type PushOutcome =
  /** Our commit is the branch's head. */
  | { readonly state: "moved" }
  /** The branch no longer was our commit's parent: somebody was faster. `wasSent` is false where our own git saw it. */
  | { readonly state: "behind"; readonly why: string; readonly wasSent: boolean }
  /** The remote did not take it. Which of its rules it broke is in its own words. */
  | { readonly state: "refused"; readonly why: string; readonly isAboutBranch: boolean }
  /** No answer came: it may have been taken or not. */
  | { readonly state: "unknown"; readonly why: string }
  /** No answer came, and the transport says that this account may not push. */
  | { readonly state: "denied"; readonly why: string }
  /** The branch was moved by force, which our lease rules out: something on the way does not keep to git's rules. */
  | { readonly state: "forced"; readonly why: string };

const PUSH = ["push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-recurse-submodules", "--no-signed"];

/**
 * Offers a commit as a branch's new head, on condition that the branch still is the commit's own parent (or is not there,
 * for one without a parent). A lease alone would force: only with the leased commit for a parent is it a fast-forward.
 */
export async function pushCommit(git: Git, remote: string, branch: string, { id, parent }: Commit): Promise<PushOutcome> {
  const ref = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${ref}:${parent ?? ""}`;
  const pushed = await git.run([...PUSH, lease, remote, `${id}:${ref}`], { waitsForHooks: true });
  const status = statusOf(pushed.stdout, ref);
  const why = [status?.reason, wordsOf(pushed.stderr)].filter(Boolean).join(": ") || complaintOf(pushed);
  switch (status?.flag) {
    case " ":
    case "*":
      return pushed.exit_code === 0 ? { state: "moved" } : { state: "unknown", why };
    case "+":
      return { state: "forced", why };
    case "!":
      break;
    default:
      return pushed.broken === undefined && DENIED.test(pushed.stderr.replace(/^remote: .*$/gm, ""))
        ? { state: "denied", why }
        : { state: "unknown", why };
  }
  if (status.summary === "[rejected]") return { state: "behind", why, wasSent: false };
  if (LOST_RACE.test(status.reason ?? "")) return { state: "behind", why, wasSent: true };
  if (status.summary !== "[remote rejected]") return { state: "unknown", why };
  return { state: "refused", why, isAboutBranch: ABOUT_BRANCH.test(status.reason ?? "") };
}

interface Status {
  readonly flag: string;
  readonly summary: string;
  readonly reason: string | undefined;
}

/** The line of `--porcelain` about our ref: `<flag>\t<from>:<to>\t<summary> (<reason>)`. */
function statusOf(stdout: string, ref: string): Status | undefined {
  for (const line of stdout.split("\n")) {
    const [, flag, told, summary, reason] = /^([ +*=!-])\t(\S+)\t(\[[^\]]*\]|\S+)(?: \((.*)\))?$/.exec(line) ?? [];
    if (told?.endsWith(`:${ref}`) && flag !== undefined && summary !== undefined) return { flag, summary, reason };
  }
  return undefined;
}

/** What git, JGit and the forges answer when two pushes meet at one ref. */
const LOST_RACE =
  /^(?:stale info|fetch first|non-fast-forward|failed to update ref|failed to lock|(?:cannot|unable to) (?:lock|create)\b|lock (?:error|failure)|incorrect old value|reference already exists|.*\bis at [0-9a-f]+ but expected\b)/i;

/** Refusals that no other content would change. The rest may be about one file's content. */
const ABOUT_BRANCH =
  /protected branch|not permitted|not allowed|prohibited|permission|denied|read.only|deny|currently checked out/i;

/** How ssh, and git over HTTP, say that the account may not: no number of tries would help. */
const DENIED =
  /Permission denied|Permission to .* denied|marked as read only|error: 40[13]\b|Authentication failed|could not read (?:Username|Password)|Host key verification failed|SAML SSO|Write access to repository not granted|not allowed to (?:push|upload)|access denied|insufficient permission/i;
