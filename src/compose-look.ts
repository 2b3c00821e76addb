import { findPlace, type Place, type PlaceOptions } from "./config/place.ts";
import { isRepository } from "./config/repository.ts";
import { JobError } from "./errors/job-error.ts";
import type { EnvironmentVariables } from "./facts/process-environment.ts";
import type { Git } from "./git/git.ts";
import { openGit } from "./git/open-git.ts";

/** Where a fleet is or should be, however broken it is: for who looks for what is wrong. */
export interface PlaceLook {
  /** Where the config cannot be read, that of a fleet without one. */
  readonly place: Place;
  readonly configFault: JobError | undefined;
  readonly hasRepository: boolean;
  readonly git: Git;
}

/** Looks only, and asks git nothing yet. */
export function lookAtPlace(options: PlaceOptions, env: EnvironmentVariables): PlaceLook {
  const { place, configFault } = findInSpite(options, env);
  return {
    place,
    configFault,
    hasRepository: isRepository(place.root),
    git: openGit({ directory: place.root, env }),
  };
}

function findInSpite(options: PlaceOptions, env: EnvironmentVariables): Pick<PlaceLook, "place" | "configFault"> {
  try {
    return { place: findPlace(options, env), configFault: undefined };
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    const { dir } = options;
    return { place: findPlace({ ...(dir !== undefined && { dir }), withoutConfig: true }, {}), configFault: error };
  }
}
