import { CONFIG_FILE } from "../../../config/config.ts";
import { proxiesOf, sparingLoopback } from "../../../http/proxies.ts";
import { type NtfyTrial, tryNtfy } from "../../../mail/try-ntfy.ts";
import type { Check } from "../check.ts";
import { type Finding, note, ok, trouble } from "../finding.ts";

export const ntfyCheck: Check = {
  name: "ntfy",
  look: async ({ place, environment }) => {
    const { isUsed, urls, token_env, timeout_seconds } = place.settings.ntfy;
    if (!isUsed) return [ok("no mail is configured; harnesses have to look at the store")];
    if (urls.length === 0) {
      const decision = "on this machine, name one: export HARNESS_WAKE_NTFY_URLS=https://HOST/TOPIC";
      return [note("wakes promise mail, and no topic is named here", "only where one is named can a tick deliver", { decision })];
    }
    const token = token_env === undefined ? undefined : environment.env[token_env] || undefined;
    const findings: Finding[] = [];
    if (token_env !== undefined && token === undefined) {
      const decision = `give it the token: export ${token_env}=…, or take ntfy.token_env out of ${CONFIG_FILE}`;
      findings.push(trouble(`ntfy.token_env names ${token_env}, which is not set`, "no tick here can deliver", { decision }));
    }
    const proxies = sparingLoopback(proxiesOf(environment.env));
    const trials = await Promise.all(urls.map((url) => tryNtfy({ url, token, proxies, timeoutMs: timeout_seconds * 1000 })));
    return [...findings, ...trials.flatMap((trial) => toldOf(trial))];
  },
};

function toldOf({ origin, health, publish }: NtfyTrial): readonly Finding[] {
  if (health.state !== "good") {
    const decision = `see whether the host is up and the address right: curl ${origin}/v1/health`;
    return [trouble(`${origin} is not well: ${health.why}`, "mail that goes there is owed until it is", { decision })];
  }
  switch (publish.state) {
    case "good":
      return [ok(`${origin} is well, and would take mail; nothing was sent`)];
    case "bad": {
      const decision = "give the token of an account that may write to the topic, or wait where a limit is used up";
      return [trouble(`${origin} would take no mail: ${publish.why}`, "mail that goes there stays owed", { decision })];
    }
    case "unsure":
      return [note(`${origin} is well; whether it takes mail is not known: ${publish.why}`, "it may be no ntfy server")];
  }
}
