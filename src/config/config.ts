import { JobError } from "../errors/job-error.ts";
import { type FileContent, readBoundedFile } from "../facts/read-bounded-file.ts";
import { CURSOR_QUOTA_HOLD, foldName } from "../job/hold.ts";
import { decodeText } from "../json/decode-text.ts";
import { parseJson } from "../json/parse-json.ts";
import { describeRepeatedKey, findRepeatedKey } from "../json/repeated-key.ts";
import { z } from "../json/zod.ts";

/** `harness-wake.json` at the repository root (contract §9). */
export const CONFIG_FILE = "harness-wake.json";

/** Far more than any list of topics and holds; a checkout could bring along a file that fills the memory. */
export const CONFIG_BYTES_MAX = 1024 * 1024;

export function buildConfigSchema() {
  const text = z.string("must be text").check(z.minLength(1, "must not be empty"));
  const branch = z.string("must be the name of a branch").check(
    z.regex(/^(?!-)[^\s~^:?*[\\]+$/, "must be the name of a branch"),
    // git would make refs/heads/refs/heads/main of it, and find nothing there.
    z.refine((name) => !name.startsWith("refs/"), "must be a branch's own name, like main, without refs/heads/"),
    z.refine((name) => !/(?:^|\/)\.|\.\.|@\{|\/\/|\/$|\.lock(?:\/|$)|\.$/.test(name), "must be the name of a branch"),
  );
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
    git: z.optional(
      z.strictObject({
        remote: z.optional(branch),
        branch: z.optional(branch),
        pages_branch: z.optional(branch),
        sign: z.optional(z.boolean("must be true or false")),
      }),
    ),
    holds: z.optional(z.record(z.string().check(z.regex(/^[A-Z][A-Z0-9_]*_HOLD$/, "must be named like X_HOLD")), hold)),
  });
}

export type Config = z.infer<ReturnType<typeof buildConfigSchema>>;

/** A topic's name, but for those that ntfy keeps for itself. */
const NTFY_TOPIC_PATH = /^\/(?!(?:docs|static|file|app|metrics|account|settings|signup|login|v1)$)[-_A-Za-z0-9]{1,64}$/;

function isNtfyUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  const isBare = url.search === "" && url.hash === "";
  return /^https?:$/.test(url.protocol) && NTFY_TOPIC_PATH.test(url.pathname) && isBare;
}

/** Reads a config file; undefined where there is none. Throws JobError CONFIG that names the key. */
export function readConfigFile(path: string): Config | undefined {
  let found: FileContent;
  try {
    found = readBoundedFile(path, CONFIG_BYTES_MAX);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw configError(path, `cannot be read: ${String(cause)}`);
  }
  switch (found.kind) {
    case "content":
      return parseConfig(found.bytes, path);
    case "not_regular":
      throw configError(path, "is not a regular file; a config is a file of its own, never a link");
    case "too_large":
      throw configError(path, `${found.size} bytes; at most ${CONFIG_BYTES_MAX} are read`);
  }
}

/** Checks the bytes of a config file. Throws JobError CONFIG that names the key; unknown keys are refused by name. */
export function parseConfig(found: Buffer, path: string): Config {
  const document = parseDocument(found, path);
  const config = requireConfig(document, path);
  const variable = config.ntfy?.token_env;
  // A repository that comes from elsewhere may name the host that the token is sent to.
  if (variable !== undefined && !variable.includes("NTFY")) {
    const rule = "must name a variable with NTFY in its name, like NTFY_TOKEN, so that a config can send no other secret";
    throw configError(path, `ntfy.token_env ${rule}`, "ntfy.token_env");
  }
  return config;
}

function parseDocument(found: Buffer, path: string): unknown {
  const text = decodeText(found)?.replace(/^\uFEFF/, "");
  if (text === undefined) throw configError(path, "is not UTF-8; save it as UTF-8");
  let document: unknown;
  try {
    document = parseJson(text);
  } catch (cause) {
    throw configError(path, `is not JSON: ${faultOf(cause)}`);
  }
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined) {
    throw configError(path, `${describeRepeatedKey(repeated)}; keep one of them`, repeated.path.join("."));
  }
  if (typeof document !== "object" || document === null || Array.isArray(document)) return document;
  // An editor's own (contract §2).
  const { $schema: _, ...settings } = document as Readonly<Record<string, unknown>>;
  return settings;
}

function configError(file: string, what: string, field?: string): JobError {
  return new JobError("CONFIG", `${file}: ${what}`, { file, ...(field !== undefined && { field }) });
}

/** What a parser says is wrong, without the text around it that it likes to quote: an address there may hold a password. */
function faultOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/,? (?:\.\.\.)?".*$/s, "").replace(/'.{2,}'/s, "that");
}

/** Throws JobError CONFIG that names the key and where it stands. */
export function requireConfig(document: unknown, source: string): Config {
  const checked = buildConfigSchema().safeParse(document);
  if (checked.success) return requireMatches(checked.data, source);
  const issue = checked.error.issues[0];
  const at = issue?.path.map(String).join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => (at === "" ? key : `${at}.${key}`)).join(", ");
    throw configError(source, `unknown key ${keys}; the README lists the keys`, keys);
  }
  const rule = issue?.code === "invalid_key" ? issue.issues[0]?.message : issue?.message;
  throw configError(source, `${at === "" ? "the file" : at} ${rule ?? "is wrong"}`, at);
}

/** A hold that says no name covers nothing, while its owner believes that it does. */
function requireMatches(config: Config, source: string): Config {
  for (const [name, { enabled, match = [] }] of Object.entries(config.holds ?? {})) {
    if (name === CURSOR_QUOTA_HOLD.name || enabled === false || match.length > 0) continue;
    const field = `holds.${name}.match`;
    throw configError(source, `${field} is missing; list the name parts that the hold covers`, field);
  }
  return config;
}
