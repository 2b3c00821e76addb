import { relative } from "node:path";
import { type LockLook, lookAtLock } from "../../../store/directory-lock.ts";
import type { Check } from "../check.ts";
import { type Finding, note, ok, trouble } from "../finding.ts";
import { quoted } from "../quoted.ts";

export const lockCheck: Check = {
  name: "lock",
  look: ({ place, isGitStore }) => {
    if (isGitStore) return [ok("the git store needs none: the remote's branch is one")];
    return [toldOf(lookAtLock(place.jobsDirectory), place.dir)];
  },
};

function toldOf(look: LockLook, dir: string): Finding {
  switch (look.state) {
    case "absent":
      return ok("no lock was taken here yet; the first write makes it");
    case "free":
      return ok("the lock is free");
    case "foreign": {
      const found = `${look.path} is no directory, so harness-wake did not make it`;
      return trouble(found, "nothing can be written: LOCK_UNAVAILABLE", { command: `rm ${quoted(relative(dir, look.path))}` });
    }
    case "held":
      return holder(look);
  }
}

function holder({ pid, sign }: Extract<LockLook, { state: "held" }>): Finding {
  const who = pid === undefined ? "somebody" : `process ${pid}`;
  switch (sign) {
    case "lives":
      return ok(`${who} is writing at this moment`);
    case "dead":
      return ok(`${who} died holding the lock; the next write takes it over at once`);
    case "unknown":
      return note(`${who} holds the lock, and cannot be looked at from here`, "a silent holder is replaced after 5 seconds");
  }
}
