import { JobError } from "../errors/job-error.ts";

/** Which jobs a refused push held, and why it was refused. */
export interface Refusal {
  /** The remote's words. */
  readonly why: string;
  /** True where no other content would be taken either. */
  readonly isAboutBranch: boolean;
}

/** A push that the remote did not take, and will not. */
export class RefusedPush extends JobError {
  readonly refusal: Refusal;

  constructor(remote: string, branch: string, refusal: Refusal) {
    super(
      "PUSH_REFUSED",
      `the remote "${remote}" will not take a push to ${branch}: ${refusal.why}. Nothing was changed; ${remedyFor(refusal.why)}`,
    );
    this.refusal = refusal;
  }
}

function remedyFor(why: string): string {
  if (/signature|signed commit|unsigned/i.test(why))
    return "set git.sign to true in harness-wake.json, with a signing key of this account in git's own settings";
  if (/privacy/i.test(why)) return "name an address that may be public in GIT_AUTHOR_EMAIL";
  if (/Host key verification/i.test(why)) return "put the host's key into known_hosts";
  if (/Permission denied|read.only|Authentication|could not read|error: 40[13]|SAML|access/i.test(why))
    return "give this account's key or token the right to push";
  return "let this account push there (branch protection, rules, hooks), or name another branch as git.branch in harness-wake.json";
}
