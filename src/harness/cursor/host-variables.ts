import type { EnvironmentVariables } from "../../facts/process-environment.ts";

/** What of the worker's environment the SDK needs to find programs and to reach its API. Nothing else of it is handed on. */
const NAMES = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS)$/i;

/**
 * The variables that a process of the adapter gets, with `more` over them. None is called CURSOR_*: each of those redirects
 * the SDK or lends it a key.
 */
export function hostVariables(
  env: EnvironmentVariables,
  more: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const passed = Object.entries(env).flatMap(([name, value]) => (NAMES.test(name) && value !== undefined ? [[name, value]] : []));
  return { ...Object.fromEntries(passed), ...more };
}
