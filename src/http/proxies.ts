import { JobError } from "../errors/job-error.ts";
import type { EnvironmentVariables } from "../facts/process-environment.ts";

/** The proxies of an environment, as undici's EnvHttpProxyAgent takes them. "" for none, or it would look by itself. */
export interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that are reached without one. */
  readonly noProxy: string;
}

/**
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY, each in either case; lower case wins, as it does for curl and git.
 * Throws JobError CONFIG that names the variable, and not its value, which may hold a password.
 */
export function proxiesOf(environment: EnvironmentVariables): Proxies {
  return {
    httpProxy: proxy(environment, "HTTP_PROXY"),
    httpsProxy: proxy(environment, "HTTPS_PROXY"),
    noProxy: variable(environment, "NO_PROXY"),
  };
}

function proxy(environment: EnvironmentVariables, name: string): string {
  const value = variable(environment, name);
  if (value === "" || /^https?:$/.test(URL.parse(value)?.protocol ?? "")) return value;
  throw new JobError("CONFIG", `${name} is not the address of a proxy; write it as http://host:port`, { field: name });
}

function variable(environment: EnvironmentVariables, name: string): string {
  return environment[name.toLowerCase()] ?? environment[name] ?? "";
}
