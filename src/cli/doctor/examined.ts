import { type OpenedFleet, openFleet } from "../../compose.ts";
import { lookAtPlace, type PlaceLook } from "../../compose-look.ts";
import type { EnvironmentVariables } from "../../facts/process-environment.ts";
import type { Git } from "../../git/git.ts";
import type { Looked } from "../../git/looked.ts";
import { askBranch, askDefaultBranch, listRemotes, type Remote } from "../../git/remote.ts";
import type { Job } from "../../job/job.ts";
import type { Seconds } from "../../job/time.ts";
import { type FleetRow, rowOf } from "../../report/fleet-view.ts";
import type { JobEntry } from "../../store/job-store.ts";
import type { Environment } from "../environment.ts";
import { lookAt } from "../fleet-look.ts";
import type { FleetOptions } from "../fleet-options.ts";

export interface ExaminedJob {
  readonly entry: JobEntry;
  readonly row: FleetRow;
  readonly job: Job | undefined;
}

/** The remote that the fleet lives on, or asks for pages. */
export interface RemoteLook {
  readonly name: string;
  /** Absent where no remote has that name. */
  readonly remote: Looked<Remote>;
  readonly defaultBranch: Looked<string>;
  /** The branch of the jobs under the git store, otherwise that of the pages. */
  readonly branch: string | undefined;
  readonly head: Looked<string>;
}

/** What checks look at. Each look is made once, when the first check asks for it, and throws for each that does. */
export class Examined {
  readonly environment: Environment;
  readonly place: PlaceLook["place"];
  /** Why the config cannot be read; the rest is then looked at as if there were none. */
  readonly configFault: PlaceLook["configFault"];
  readonly hasRepository: boolean;
  readonly git: Git;
  readonly #options: FleetOptions;
  readonly #looks = new Map<string, Promise<unknown>>();

  constructor(options: FleetOptions, environment: Environment) {
    const { cwd, env } = environment;
    this.environment = environment;
    this.#options = options;
    const { place, configFault, hasRepository, git } = lookAtPlace({ dir: cwd, ...chosenIn(options) }, env);
    this.place = place;
    this.configFault = configFault;
    this.hasRepository = hasRepository;
    this.git = git;
  }

  get now(): Seconds {
    return this.#options.now ?? this.environment.now();
  }

  /** Throws JobError. */
  fleet(): Promise<OpenedFleet> {
    return this.#once("fleet", () => this.#openFleet());
  }

  #openFleet(): Promise<OpenedFleet> {
    const { cwd, env } = this.environment;
    const looking = { dir: cwd, now: this.now, look: true };
    return openFleet(
      this.configFault === undefined
        ? { ...looking, env, ...chosenIn(this.#options) }
        : { ...looking, env: withoutSettings(env), withoutConfig: true },
    );
  }

  /** Every job file, with what an operator sees of it. Throws JobError where they cannot be listed. */
  jobs(): Promise<readonly ExaminedJob[]> {
    return this.#once("jobs", async () => {
      const fleet = await this.fleet();
      const entries = [...(await fleet.store.scan())];
      const { facts } = await lookAt(fleet, entries, { ...this.environment, err: () => undefined });
      return entries.map((entry) => ({ entry, row: rowOf(entry, facts), job: entry.job }));
    });
  }

  remote(): Promise<RemoteLook> {
    return this.#once("remote", () => this.#lookAtRemote());
  }

  async #lookAtRemote(): Promise<RemoteLook> {
    const { git } = this.place.settings;
    const name = git.remote ?? "origin";
    const remotes = await listRemotes(this.git);
    const one = remotes.state === "found" ? remotes.value.find((remote) => remote.name === name) : undefined;
    const remote: Looked<Remote> =
      remotes.state === "failed" ? remotes : one === undefined ? { state: "absent" } : { state: "found", value: one };
    if (remote.state !== "found") return { name, remote, defaultBranch: remote, branch: undefined, head: remote };
    const head = await askDefaultBranch(this.git, name);
    const defaultBranch: Looked<string> = head.state === "found" ? { state: "found", value: head.value.branch } : head;
    const branch = this.isGitStore ? git.branch : git.pages_branch;
    if (branch === undefined) {
      const own: Looked<string> = head.state === "found" ? { state: "found", value: head.value.head } : head;
      return { name, remote, defaultBranch, branch: head.state === "found" ? head.value.branch : undefined, head: own };
    }
    return { name, remote, defaultBranch, branch, head: await askBranch(this.git, name, branch) };
  }

  get isGitStore(): boolean {
    return this.place.settings.store === "git";
  }

  #once<Answer>(name: string, look: () => Promise<Answer>): Promise<Answer> {
    const begun = this.#looks.get(name) as Promise<Answer> | undefined;
    if (begun !== undefined) return begun;
    const looking = look();
    this.#looks.set(name, looking);
    return looking;
  }
}

function chosenIn({ jobsDir, config }: FleetOptions) {
  return { ...(jobsDir !== undefined && { jobsDir }), ...(config !== undefined && { configFile: config }) };
}

/** What is broken may be a variable. */
function withoutSettings(env: EnvironmentVariables): EnvironmentVariables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("HARNESS_WAKE_")));
}
