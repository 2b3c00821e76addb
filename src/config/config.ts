import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { JobError } from "../errors/job-error.ts";
import { CURSOR_QUOTA_HOLD, foldName } from "../job/hold.ts";

/** `harness-wake.json` at the repository root (contract §9). */
export const CONFIG_FILE = "harness-wake.json";

function buildConfigSchema() {
  const text = z.string("must be text").check(z.minLength(1, "must not be empty"));
  const branch = z.string("must be the name of a branch").check(z.regex(/^(?!-)[^\s~^:?*[\\]+$/, "must be the name of a branch"));
  const directory = z
    .string("must be a directory inside the repository")
    .check(z.regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$)).+$/, "must be a directory inside the repository, like wake_jobs"));

  const hold = z.strictObject({
    enabled: z.optional(z.boolean("must be true or false")),
    match: z.optional(
      z.array(
        text.check(z.refine((part) => foldName(part) !== "", "must hold a letter or digit, or it would match every name")),
        "must be a list of name parts",
      ),
    ),
    note: z.optional(text),
  });

  return z.strictObject({
    jobs_dir: z.optional(directory),
    pages_dir: z.optional(directory),
    store: z.optional(z.enum(["file", "git"], 'must be "file" or "git"')),
    ntfy: z.optional(
      z.strictObject({
        urls: z.optional(
          z.array(
            z
              .string("must be an address like https://ntfy.sh/my-topic")
              .check(z.refine(isNtfyUrl, "must be an address like https://ntfy.sh/my-topic")),
          ),
        ),
        token_env: z.optional(
          z.string().check(
            z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
            // Else the token, put where its variable's name belongs, would be told as the name of a variable that is not set.
            z.refine((name) => !name.startsWith("tk_"), "must be the name of an environment variable, not the token itself"),
          ),
        ),
        timeout_seconds: z.optional(
          z.int("must be whole seconds").check(z.gte(1, "must be 1 to 300"), z.lte(300, "must be 1 to 300")),
        ),
      }),
    ),
    git: z.optional(z.strictObject({ remote: z.optional(branch), branch: z.optional(branch), pages_branch: z.optional(branch) })),
    holds: z.optional(z.record(z.string().check(z.regex(/^[A-Z][A-Z0-9_]*_HOLD$/, "must be named like X_HOLD")), hold)),
  });
}

export type Config = z.infer<ReturnType<typeof buildConfigSchema>>;

const NTFY_TOPIC_PATH = /^\/[-_A-Za-z0-9]{1,64}$/;

function isNtfyUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  const isBare = url.search === "" && url.hash === "";
  return /^https?:$/.test(url.protocol) && NTFY_TOPIC_PATH.test(url.pathname) && isBare;
}

/** Reads a config file; undefined where there is none. Throws JobError CONFIG that names the key. */
export function readConfigFile(path: string): Config | undefined {
  let found: string;
  try {
    found = readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new JobError("CONFIG", `${path}: cannot be read: ${String(cause)}`, { file: path, cause });
  }
  return parseConfig(found, path);
}

/** Checks the text of a config file. Throws JobError CONFIG that names the key; unknown keys are refused by name. */
export function parseConfig(found: string, path: string): Config {
  let document: unknown;
  try {
    document = JSON.parse(found.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new JobError("CONFIG", `${path}: is not JSON: ${faultOf(cause)}`, { file: path });
  }
  return requireConfig(document, path);
}

/** What a parser says is wrong, without the text around it that it likes to quote: an address there may hold a password. */
function faultOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/,? (?:\.\.\.)?".*$/s, "");
}

/** Throws JobError CONFIG that names the key and where it stands. */
export function requireConfig(document: unknown, source: string): Config {
  const checked = buildConfigSchema().safeParse(document);
  if (checked.success) return requireMatches(checked.data, source);
  const issue = checked.error.issues[0];
  const at = issue?.path.map(String).join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => (at === "" ? key : `${at}.${key}`)).join(", ");
    throw new JobError("CONFIG", `${source}: unknown key ${keys}; the README lists the keys`, { file: source, field: keys });
  }
  const rule = issue?.code === "invalid_key" ? issue.issues[0]?.message : issue?.message;
  throw new JobError("CONFIG", `${source}: ${at === "" ? "the file" : at} ${rule ?? "is wrong"}`, {
    file: source,
    field: at,
  });
}

/** A hold that says no name covers nothing, while its owner believes that it does. */
function requireMatches(config: Config, source: string): Config {
  for (const [name, { enabled, match = [] }] of Object.entries(config.holds ?? {})) {
    if (name === CURSOR_QUOTA_HOLD.name || enabled === false || match.length > 0) continue;
    const field = `holds.${name}.match`;
    throw new JobError("CONFIG", `${source}: ${field} is missing; list the name parts that the hold covers`, {
      file: source,
      field,
    });
  }
  return config;
}
