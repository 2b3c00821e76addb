import { JobError } from "../errors/job-error.ts";
import type { AdapterHost, HarnessAdapter, HeldAdapter, SelfTestCheck } from "./harness.ts";
import type { OpenAgent } from "./open-agent.ts";

/**
 * Makes an adapter ready on a host: installs its runtime and tests whether a run could start. Throws JobError: CONFIG with each
 * check that fails and what to do about it, or with the hold that covers it by now.
 */
export async function openAdapter(adapter: HarnessAdapter, host: AdapterHost): Promise<OpenAgent> {
  const hosted = adapter.on(host);
  requireFree(await hosted.provision());
  const { state, checks } = requireFree(await hosted.selfTest());
  if (state === "failed")
    throw new JobError("CONFIG", `${adapter.harnessId} cannot run here: ${checks.flatMap(sayFailed).join("; ")}`);
  const says = `${adapter.harnessId}: ${checks.map(({ found }) => found).join("; ")}. It counts its own tokens`;
  return { programFor: hosted.programFor, says, close: async () => undefined };
}

function requireFree<T extends object>(answer: T | HeldAdapter): T {
  if ("invoke_model" in answer) throw new JobError("CONFIG", `${answer.state}: ${answer.message}`);
  return answer;
}

function sayFailed(check: SelfTestCheck): readonly string[] {
  return check.ok ? [] : [`${check.found}. What helps: ${check.remedy}`];
}
