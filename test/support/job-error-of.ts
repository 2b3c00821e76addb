import { expect } from "vitest";
import { JobError } from "../../src/errors/job-error.ts";

/** The JobError that this throws; anything else fails the test. */
export function jobErrorOf(act: () => unknown): JobError {
  try {
    act();
  } catch (error) {
    if (error instanceof JobError) return error;
    throw error;
  }
  return expect.fail("threw nothing");
}

/** The JobError that this rejects with; anything else fails the test. */
export async function jobErrorFrom(act: () => Promise<unknown>): Promise<JobError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof JobError) return error;
    throw error;
  }
  return expect.fail("threw nothing");
}
