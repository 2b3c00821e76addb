import { randomToken } from "../../src/facts/ids.ts";
import { type Life, ownLife } from "../../src/facts/process-life.ts";
import { heldName } from "../../src/store/lock/baton.ts";

/** The baton's name in the hands of a process that anyone here can see is dead: it bore our number before we did. */
export function deadHolder(): string {
  return heldName({ token: randomToken(), life: { ...requireOwnLife(), startedAt: "1" } });
}

/** The same in the hands of somebody whom nobody here can look for: a process of another PID namespace. */
export function strangeHolder(token = randomToken()): string {
  return heldName({ token, life: { ...requireOwnLife(), pidNamespace: "1" } });
}

function requireOwnLife(): Life {
  const life = ownLife();
  if (life === undefined) throw new Error("this system does not tell which process is which; the lock's tests need Linux");
  return life;
}
