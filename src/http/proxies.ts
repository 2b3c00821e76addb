import { JobError } from "../errors/job-error.ts";
import type { EnvironmentVariables } from "../facts/process-environment.ts";

/** The proxies of an environment, as undici's EnvHttpProxyAgent takes them. "" for none, or it would look by itself. */
export interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that are reached without one. */
  readonly noProxy: string;
  /** An http address is asked for plainly, as curl and git do: few proxies open a tunnel to port 80. */
  readonly proxyTunnel: false;
}

export const NO_PROXIES: Proxies = { httpProxy: "", httpsProxy: "", noProxy: "", proxyTunnel: false };

/**
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY, each in either case; lower case wins, as it does for curl and git.
 * Throws JobError CONFIG that names the variable, and not its value, which may hold a password.
 */
export function proxiesOf(environment: EnvironmentVariables): Proxies {
  return {
    httpProxy: proxy(environment, "HTTP_PROXY"),
    httpsProxy: proxy(environment, "HTTPS_PROXY"),
    noProxy: variable(environment, "NO_PROXY"),
    proxyTunnel: false,
  };
}

const LOOPBACK = "localhost,127.0.0.1,[::1]";

/** The same, but this machine is reached directly: a secret may go there unencrypted, and must go nowhere else. */
export function sparingLoopback(proxies: Proxies): Proxies {
  const { noProxy } = proxies;
  return noProxy === "*" ? proxies : { ...proxies, noProxy: `${noProxy},${LOOPBACK}` };
}

/** Without a scheme it is an http proxy, as it is for curl and git. */
function proxy(environment: EnvironmentVariables, name: string): string {
  const value = variable(environment, name);
  if (value === "") return value;
  const address = value.includes("://") ? value : `http://${value}`;
  if (/^https?:$/.test(URL.parse(address)?.protocol ?? "")) return address;
  throw new JobError("CONFIG", `${name} is not the address of a proxy; write it as http://host:port`, { field: name });
}

function variable(environment: EnvironmentVariables, name: string): string {
  return environment[name.toLowerCase()] ?? environment[name] ?? "";
}
