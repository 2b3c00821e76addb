import { JobError } from "../../errors/job-error.ts";
import { systemClock } from "../../facts/clock.ts";
import { type EnvironmentVariables, ownUserId } from "../../facts/process-environment.ts";
import { bubblewrapCommand, UNPRIVILEGED_ID } from "./bubblewrap.ts";
import { ControlGroupCage, ownControlGroup } from "./control-group-cage.ts";
import type { Cage, Enclosure, EnclosureChoice, EnclosureKind, PassedOver } from "./enclosure.ts";
import { findProgram } from "./find-program.ts";
import { GroupCage } from "./group-cage.ts";
import { MarkedCage } from "./marked-cage.ts";
import { PidNamespaceCage } from "./pid-namespace-cage.ts";
import { hasProcessTable } from "./process-table.ts";
import { runEnclosed } from "./run-enclosed.ts";
import { unshareCommand } from "./unshare.ts";

export interface EnclosureOptions {
  readonly choice: EnclosureChoice;
  readonly env: EnvironmentVariables;
  /** Tries these kinds alone, in this order; for tests, and for who wants to know of each. */
  readonly kinds?: readonly EnclosureKind[];
  /** Inside another enclosure, for what a run there starts. */
  readonly isInner?: boolean;
}

const KINDS_OF_CHOICE = {
  auto: ["bwrap", "unshare", "cgroup", "marks", "group"],
  bwrap: ["bwrap"],
  none: ["marks", "group"],
} as const satisfies Record<EnclosureChoice, readonly EnclosureKind[]>;

/**
 * Finds the best way of closing runs in that works here, by trying: many systems have the programs and refuse what they do.
 * Takes 10 to 25 ms for each that is tried. Throws JobError CONFIG where bubblewrap alone was asked for and does not work.
 */
export async function findEnclosure(options: EnclosureOptions): Promise<Enclosure> {
  const { choice, env, kinds = KINDS_OF_CHOICE[choice], isInner = false } = options;
  const passedOver: PassedOver[] = [];
  for (const kind of kinds) {
    const candidate = candidateFor(kind, env, isInner);
    const why = typeof candidate === "string" ? candidate : await whyItFails(candidate, env);
    if (typeof candidate !== "string" && why === undefined) return { ...candidate, passedOver };
    passedOver.push({ kind, why: why ?? "" });
  }
  const reasons = passedOver.map(({ kind, why }) => `${kind}: ${why}`).join("; ");
  throw new JobError(
    "CONFIG",
    `runs cannot be closed in as asked (--enclosure ${choice}): ${reasons}. Install bubblewrap or let this user make namespaces, or take --enclosure auto`,
  );
}

type Candidate = Omit<Enclosure, "passedOver">;

/** The enclosure of that kind, or why there is none. */
function candidateFor(kind: EnclosureKind, env: EnvironmentVariables, isInner: boolean): Candidate | string {
  const path = env["PATH"] ?? "";
  const userId = ownUserId();
  const isRoot = userId === 0;
  const insideNamespace = isRoot ? UNPRIVILEGED_ID : userId;
  const found = (cage: (mark: string) => Cage, userIdInside = userId): Candidate => ({ kind, userIdInside, cage });
  switch (kind) {
    case "bwrap": {
      const bwrap = findProgram("bwrap", path);
      if (bwrap === undefined) return "bwrap is not installed";
      const proc = isInner ? "outer" : "own";
      return found(() => new PidNamespaceCage((program) => bubblewrapCommand(bwrap, program, isRoot, proc)), insideNamespace);
    }
    case "unshare": {
      const [setpriv, unshare] = [findProgram("setpriv", path), findProgram("unshare", path)];
      if (setpriv === undefined || unshare === undefined) return "setpriv and unshare (util-linux) are not installed";
      const programs = { setpriv, unshare };
      return found(() => new PidNamespaceCage((program) => unshareCommand(programs, program, isRoot)), insideNamespace);
    }
    case "cgroup": {
      const parent = ownControlGroup();
      return parent === undefined ? "no version 2 group" : found((mark) => new ControlGroupCage(parent, mark, path));
    }
    case "marks":
      return hasProcessTable() ? found((mark) => new MarkedCage(mark, path)) : "no /proc";
    case "group":
      return found(() => new GroupCage(path));
  }
}

/** A trial takes some milliseconds; one that hangs is as good as one that fails. */
const TRIAL_MS_MAX = 5_000;
const COMPLAINT_CHARACTERS_MAX = 300;

/** Runs a program that does nothing. */
async function whyItFails(candidate: Candidate, env: EnvironmentVariables): Promise<string | undefined> {
  let said = "";
  const trial = runEnclosed(candidate, {
    argv: ["true"],
    cwd: "/",
    env: { PATH: env["PATH"] ?? "" },
    mounts: [],
    stdin: "",
    onStdout: () => undefined,
    onStderr: (chunk) => {
      said = `${said}${chunk}`.slice(0, COMPLAINT_CHARACTERS_MAX);
    },
  });
  trial.stopBy(systemClock.monotonic() + TRIAL_MS_MAX, "a trial hangs");
  const end = await trial.ended;
  switch (end.state) {
    case "not_started":
      return end.message;
    case "stopped":
      return end.why;
    case "ended":
      if (end.exit_code === 0) return undefined;
      return said.trim().split("\n").at(-1) || `a trial ended with ${end.exit_code ?? end.signal}`;
  }
}
