import { expect } from "vitest";
import type { Answer } from "../../src/answer.ts";
import { butForReports } from "./but-for-reports.ts";
import type { MemoryFleet } from "./memory-fleet.ts";

/** The answer's state, once it is certain that the call was refused and changed nothing but what it reported. */
export async function refusalOf(fleet: MemoryFleet, call: () => Promise<Answer>): Promise<string> {
  const before = butForReports(fleet.texts);
  const answer = await call();
  expect(butForReports(fleet.texts)).toEqual(before);
  expect(answer.invoke_model).toBe(false);
  expect(answer.ok).toBe(answer.state === "CURSOR_QUOTA_HOLD");
  return answer.state;
}
