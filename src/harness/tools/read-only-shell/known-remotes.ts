/** What a configuration says of remotes and of what branches follow: data alone, that no command which only looks can run. */
const KEYS = { remote: ["url", "fetch"], branch: ["remote", "merge"] } as const;

const SECTION = /^\s*\[(\w+) "([^"\\]+)"\]\s*$/;

/** A value that means itself: no quotes, escapes or comments. */
const SETTING = /^\s*(\w+)\s*=\s*([^"\\#;]*?)\s*$/;

/** The lines of a configuration by which `git remote`, `@{upstream}` and "ahead by 1" work; without names and passwords in URLs. */
export function knownRemotes(configuration: string): readonly string[] {
  let keys: readonly string[] = [];
  return configuration.split("\n").flatMap((line) => {
    const [, section, name] = SECTION.exec(line) ?? [];
    if (line.trimStart().startsWith("[")) {
      keys = section === "remote" || section === "branch" ? KEYS[section] : [];
      return keys.length > 0 ? [`[${section} "${name}"]`] : [];
    }
    const [, key = "", value = ""] = SETTING.exec(line) ?? [];
    return keys.includes(key) ? [`  ${key} = ${value.replace(/:\/\/[^/]*@/, "://")}`] : [];
  });
}
