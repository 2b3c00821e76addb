import { lstatSync, readdirSync } from "node:fs";
import { type LifeSign, lifeSignOf } from "../../facts/process-life.ts";
import { holderOf } from "./baton.ts";
import { lockPathIn } from "./lock-directory.ts";

export type LockLook =
  /** No lock was ever taken there. */
  | { readonly state: "absent" }
  /** Something that this program did not make stands in its place. */
  | { readonly state: "foreign"; readonly path: string }
  | { readonly state: "free" }
  /** `pid` is undefined where the holder does not tell it. */
  | { readonly state: "held"; readonly pid: number | undefined; readonly sign: LifeSign };

/** How the lock of a jobs directory stands. Takes and changes nothing. Throws the system's error where it may not look. */
export function lookAtLock(jobsDirectory: string): LockLook {
  const path = lockPathIn(jobsDirectory);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { state: "absent" };
  if (!found.isDirectory()) return { state: "foreign", path };
  const held = readdirSync(path).find((name) => name.startsWith("held-"));
  if (held === undefined) return { state: "free" };
  const life = holderOf(held)?.life;
  return { state: "held", pid: life?.pid, sign: life === undefined ? "unknown" : lifeSignOf(life) };
}
