import type { EnvironmentVariables } from "../../facts/process-environment.ts";

/** What of the worker's environment a run may see (contract §11). Keys and tokens are none of it. */
const PASSED_ON: readonly string[] = [
  "PATH",
  "HOME",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TERM",
  "TMPDIR",
  "USER",
  "LOGNAME",
  "SHELL",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
];

const LOCALE = /^LC_[A-Z]+$/;

/** Never, whatever the owner names: with it a run could send mail in the fleet's name. */
const MAIL_SECRET = /NTFY/i;

/** Loopback is where the gateway is; a proxy would swallow the call. */
const LOOPBACK = ["127.0.0.1", "localhost", "::1"];

/**
 * The environment of a run: what is harmless of the worker's, what its owner names (`--env`), and what the run is
 * told. `told` goes over everything.
 */
export function childEnvironment(
  env: EnvironmentVariables,
  named: readonly string[],
  told: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const passed = Object.entries(env).flatMap(([name, value]) => {
    const isPassed = PASSED_ON.includes(name) || LOCALE.test(name) || (named.includes(name) && !MAIL_SECRET.test(name));
    return isPassed && value !== undefined ? [[name, value] as const] : [];
  });
  const noProxy = [...new Set([...LOOPBACK, ...(env["NO_PROXY"] ?? env["no_proxy"] ?? "").split(",").filter(Boolean)])].join(",");
  return { ...Object.fromEntries(passed), NO_PROXY: noProxy, no_proxy: noProxy, ...told };
}
