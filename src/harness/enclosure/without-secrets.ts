/** What stands in a secret's place. */
const REMOVED = "[removed]";

/** Shorter values are words like `true`, and would be taken out of every sentence. */
const KNOWN_CHARACTERS_MIN = 8;

const SECRET_NAME = /key|token|secret|passw|passphrase|credential|auth|cookie|dsn|database_url/i;

/**
 * Secrets by what they look like. Each pattern keeps what its first group holds, so that a reader still sees what it was.
 * No list is complete: this keeps the common ones out of a job's history, where everybody can read them for ever.
 */
const PATTERNS: readonly RegExp[] = [
  // Up to the last @ before the path, since a password may hold one.
  /(:\/\/)[^/\s]*@/g,
  /((?:bearer|basic|token)\s+)[\w.~+/=-]{8,}/gi,
  /\b()(?:sk[-_]|[prt]k_|xox[a-z]-|gh[a-z]_|github_pat_|glpat-|npm_|pypi-|hf_|AIza|AKIA|ASIA|ya29\.)[-\w.]{14,}/g,
  /\b()eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /((?:[\w-]*(?:api[-_]?key|token|secret|passw(?:or)?d|passphrase|credential))["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi,
];

/** A text without the known values and without what looks like a credential. */
export function withoutSecrets(text: string, known: readonly string[]): string {
  const values = known.filter((value) => value.length >= KNOWN_CHARACTERS_MIN).toSorted((a, b) => b.length - a.length);
  const withoutKnown = values.reduce((rest, value) => rest.replaceAll(value, REMOVED), text);
  return PATTERNS.reduce((rest, pattern) => rest.replace(pattern, (_whole, kept: string) => `${kept}${REMOVED}`), withoutKnown);
}

/** The values of an environment that nobody should read in a log: by what their variables are called. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (value !== undefined && SECRET_NAME.test(name) ? [value] : []));
}
