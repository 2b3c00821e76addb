import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE } from "../../../config/config.ts";
import type { Check } from "../check.ts";
import { note, ok, trouble } from "../finding.ts";

export const configCheck: Check = {
  name: "config",
  look: ({ configFault, place }) => {
    if (configFault !== undefined) {
      const means = "every call refuses until it is mended; the other checks go on as if there were no config";
      return [trouble(configFault.message, means, { decision: `mend ${configFault.file ?? CONFIG_FILE} by hand` })];
    }
    const { root, settings } = place;
    if (existsSync(join(root, CONFIG_FILE))) return [ok(`${CONFIG_FILE}: jobs in ${settings.jobs_dir}, store ${settings.store}`)];
    const means = "the usual holds: jobs in wake_jobs of this checkout, pages in p, no mail";
    return [note(`there is no ${CONFIG_FILE} in ${root}`, means, { command: "harness-wake init" })];
  },
};
