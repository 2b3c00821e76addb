import { existsSync } from "node:fs";
import { join } from "node:path";
import { isUntouchedWorkflow, WORKFLOW_FILE } from "../../workflow-plan.ts";
import type { Check } from "../check.ts";
import { note, ok } from "../finding.ts";

/** Only a note: a fleet may tick elsewhere, and another check says whether ticks come. */
export const workflowCheck: Check = {
  name: "workflow",
  look: async (examined) => {
    const { place, hasRepository } = examined;
    const { root, settings } = place;
    if (!hasRepository) return [];
    if (!existsSync(join(root, WORKFLOW_FILE))) {
      const decision =
        "decide what ticks: harness-wake init writes a workflow; a host of your own runs harness-wake --tick --every 60s";
      return [note(`there is no ${WORKFLOW_FILE}`, "GitHub does not tick this fleet", { decision })];
    }
    const { defaultBranch } = await examined.remote();
    if (defaultBranch.state !== "found")
      return [note(`${WORKFLOW_FILE} is there`, "whether it is current is not known without the remote")];
    const isCurrent = isUntouchedWorkflow({
      root,
      branch: defaultBranch.value,
      watched: [...(settings.git.branch === undefined ? [settings.jobs_dir] : []), settings.pages_dir],
      hasTopic: (place.readConfigs().own.ntfy?.urls ?? []).length > 0,
      worker: undefined,
    });
    if (isCurrent) return [ok(`${WORKFLOW_FILE} is as this version writes it`)];
    const decision =
      "keep it if somebody changed it on purpose; otherwise remove it and let harness-wake init write it anew in a fresh clone";
    return [
      note(`${WORKFLOW_FILE} differs from what this version writes`, "it was changed by hand, or written by another version", {
        decision,
      }),
    ];
  },
};
