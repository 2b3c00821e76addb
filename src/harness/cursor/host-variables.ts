import type { EnvironmentVariables } from "../../facts/process-environment.ts";

/** What a program needs to be found and to speak the user's language. */
const PLAIN = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/** What it needs beside to reach the network. A proxy's address may hold a password. */
const NETWORK = /^(?:(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS)$/i;

/**
 * The variables that a process of the adapter gets of the worker's, with `more` over them. None is called CURSOR_*: each of
 * those redirects the SDK or lends it a key.
 */
export function hostVariables(
  env: EnvironmentVariables,
  more: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...pick(env, (name) => PLAIN.test(name) || NETWORK.test(name)), ...more };
}

/**
 * The variables of what the shell tool runs: no secret is among them, and its home is the run's, without the settings and logins
 * of the worker's user.
 */
export function shellVariables(env: EnvironmentVariables, home: string): Readonly<Record<string, string>> {
  const open = pick(env, (name, value) => PLAIN.test(name) || (NETWORK.test(name) && !value.includes("@")));
  return { ...open, HOME: home, TMPDIR: home };
}

function pick(env: EnvironmentVariables, isWanted: (name: string, value: string) => boolean): Readonly<Record<string, string>> {
  const wanted = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isWanted(name, value) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(wanted);
}
