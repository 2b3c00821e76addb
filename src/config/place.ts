import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { JobError } from "../errors/job-error.ts";
import { type EnvironmentVariables, workingDirectory } from "../facts/process-environment.ts";
import { CONFIG_FILE, type Config, readConfigFile } from "./config.ts";
import { findUpwards, isRepository, realPathOf } from "./repository.ts";
import { type Settings, settingsFrom, twoTruths } from "./settings.ts";

/** Where a fleet is, and what its config says. No path has links in it. */
export interface Place {
  /** Where the caller stands. */
  readonly dir: string;
  /** The top of the repository that contains the jobs directory. */
  readonly root: string;
  readonly jobsDirectory: string;
  readonly settings: Settings;
  /** Settings that a flag chose, so that they may differ from the owner's committed config. */
  readonly chosen: readonly ("jobs_dir" | "git.branch")[];
  /** Reads the config files anew. */
  readConfigs(): Configs;
}

export interface Configs {
  /** `harness-wake.json` at the root. */
  readonly own: Config;
  /** The one to go by: that of `--config`, where there is one, with the holds of the root's own added. */
  readonly config: Config;
}

export interface PlaceOptions {
  readonly dir?: string;
  readonly jobsDir?: string;
  readonly configFile?: string;
  /** Goes by what holds where no config says otherwise: to look at the rest while a config is broken. */
  readonly withoutConfig?: boolean;
}

/**
 * Finds the repository that really contains the jobs directory, and its settings (contract §5). A link or a flag from
 * elsewhere leads to the same config. Throws JobError CONFIG.
 */
export function findPlace(options: PlaceOptions, env: EnvironmentVariables): Place {
  const dir = realPathOf(resolve(options.dir ?? workingDirectory()));
  const named = options.jobsDir === undefined ? undefined : realPathOf(resolve(dir, options.jobsDir));
  const readAt = (root: string): Configs =>
    options.withoutConfig ? { own: {}, config: {} } : readConfigs(root, dir, options.configFile);
  const settingsAt = (root: string): Settings => settingsFrom(readAt(root).config, env);
  const from = named === undefined ? rootAbove(dir) : rootOfJobs(named);
  const first = settingsAt(from);
  const jobsDirectory = named ?? realPathOf(join(from, first.jobs_dir));
  const root = rootOfJobs(jobsDirectory);
  const settings = root === from ? first : settingsAt(root);
  const chosen = options.configFile !== undefined ? (["jobs_dir", "git.branch"] as const) : named ? (["jobs_dir"] as const) : [];
  return { dir, root, jobsDirectory, settings, chosen, readConfigs: () => readAt(root) };
}

function readConfigs(root: string, dir: string, configFile: string | undefined): Configs {
  const own = readConfigFile(join(root, CONFIG_FILE)) ?? {};
  if (configFile === undefined) return { own, config: own };
  const path = resolve(dir, configFile);
  const other = readConfigFile(path);
  if (other === undefined) throw new JobError("CONFIG", `${path}: is not there; name another config, or none`, { file: path });
  if (own.store === "git" && other.store === "file") throw twoTruths(path);
  // Another config may add holds, never drop those of the repository's own: no flag lifts a hold.
  const holds = { ...other.holds, ...own.holds };
  return { own, config: { ...other, ...(own.store === "git" && { store: "git" }), holds } };
}

/**
 * The directory whose config counts for work in `directory`: the top of its git repository. Outside of any, the nearest one
 * upwards with a config, else the directory itself; there no hold can be lifted.
 */
function rootAbove(directory: string): string {
  const hasConfig = (candidate: string): boolean => existsSync(join(candidate, CONFIG_FILE));
  return findUpwards(directory, isRepository) ?? findUpwards(directory, hasConfig) ?? directory;
}

/** Throws JobError CONFIG for a jobs directory that is a repository inside another: it would evade the outer one's rules. */
function rootOfJobs(jobsDirectory: string): string {
  if (!isRepository(jobsDirectory)) return rootAbove(dirname(jobsDirectory));
  const outer = findUpwards(dirname(jobsDirectory), isRepository);
  if (outer === undefined) return jobsDirectory;
  const remedy = `let ${outer} itself hold the job files, or name another jobs directory`;
  const message = `${jobsDirectory}: is a repository of its own inside ${outer}, as a submodule is; ${remedy}`;
  throw new JobError("CONFIG", message, { file: jobsDirectory });
}
