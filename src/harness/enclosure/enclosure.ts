import type { Mount } from "./mount.ts";

/**
 * What a run can be closed in, the best first.
 *
 * - `bwrap`: bubblewrap; PID and mount namespace, an unprivileged user without capabilities
 * - `unshare`: util-linux' `setpriv` and `unshare`; PID namespace, an unprivileged user
 * - `cgroup`: a control group of its own, killed as one
 * - `marks`: a random value in the environment, by which descendants are looked for
 * - `group`: the process group alone, where a system does not show its processes
 */
export const ENCLOSURE_KINDS = ["bwrap", "unshare", "cgroup", "marks", "group"] as const;
export type EnclosureKind = (typeof ENCLOSURE_KINDS)[number];

/** What `work --enclosure` takes: the best that works here, bubblewrap or nothing, or no namespace at all. */
export const ENCLOSURE_CHOICES = ["auto", "bwrap", "none"] as const;
export type EnclosureChoice = (typeof ENCLOSURE_CHOICES)[number];

export interface Protection {
  /** Nothing that a run started is left when it ends, or when the worker is killed. */
  readonly endsEverything: boolean;
  /** The run writes only where its mounts say so. */
  readonly protectsFiles: boolean;
  /** The run cannot read the worker's environment, and the API key in it. */
  readonly hidesEnvironment: boolean;
}

export const PROTECTION = {
  bwrap: { endsEverything: true, protectsFiles: true, hidesEnvironment: true },
  unshare: { endsEverything: true, protectsFiles: false, hidesEnvironment: true },
  cgroup: { endsEverything: true, protectsFiles: false, hidesEnvironment: false },
  marks: { endsEverything: false, protectsFiles: false, hidesEnvironment: false },
  group: { endsEverything: false, protectsFiles: false, hidesEnvironment: false },
} as const satisfies Record<EnclosureKind, Protection>;

const ENDING = {
  bwrap: "whatever a run starts ends with it, or with this worker",
  unshare: "whatever a run starts ends with it, or with this worker",
  cgroup: "whatever a run starts ends with it, or with this worker",
  marks: "a program that clears its environment and leaves its parents can outlive its run",
  group: "a program that leaves its process group can outlive its run",
} as const satisfies Record<EnclosureKind, string>;

const NAMES = {
  bwrap: "bubblewrap",
  unshare: "PID namespace (setpriv, unshare)",
  cgroup: "control group",
  marks: "marked processes",
  group: "process group",
} as const satisfies Record<EnclosureKind, string>;

/** One way of closing runs in that was found to work here. */
export interface Enclosure {
  readonly kind: EnclosureKind;
  /** Why each better one does not work here. */
  readonly passedOver: readonly PassedOver[];
  /** As whom a run sees itself; undefined where users have no numbers. Agents refuse some of their modes to 0. */
  readonly userIdInside: number | undefined;
  /** A cage for one run. `mark` is random, and no other run's. */
  cage(mark: string): Cage;
}

export interface PassedOver {
  readonly kind: EnclosureKind;
  readonly why: string;
}

/** What is to run inside. */
export interface EnclosedProgram {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Over everything read-only, in this order: a later one lies over an earlier one. Heeded where files are protected. */
  readonly mounts: readonly Mount[];
}

/** What closes one run in. Every method may be called at any time, also when nothing is inside any more. */
export interface Cage {
  /** The command line to start in the program's place. */
  wrap(program: EnclosedProgram): readonly [string, ...string[]];
  /** Told once, when it is started. */
  entered(pid: number): void;
  /**
   * Asks everything inside to end (SIGTERM), and keeps the cage open when the first process does, so that those below it
   * get their grace too. False where nothing is inside yet.
   */
  ask(): boolean;
  isEmpty(): boolean;
  /** Lets the cage close after {@link ask}, when it is empty. */
  release(): void;
  killAll(): void;
  /** After the end of the first process: whatever is left goes. */
  close(): Promise<void>;
}

/** One line for people: what holds, what does not, and why nothing better does. */
export function sayWhatHolds({ kind, passedOver }: Pick<Enclosure, "kind" | "passedOver">): string {
  const { protectsFiles, hidesEnvironment } = PROTECTION[kind];
  const claims = [
    ENDING[kind],
    protectsFiles ? "a run writes only to its checkout and the home directory" : "files are not protected",
    hidesEnvironment ? "it cannot read this worker's environment" : "it can read this worker's environment, its API keys too",
  ];
  const better = passedOver.map((other) => `${NAMES[other.kind]}: ${other.why}`);
  return `${NAMES[kind]}: ${claims.join("; ")}${better.length === 0 ? "" : `. Not used: ${better.join("; ")}`}`;
}
