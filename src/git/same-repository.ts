/**
 * Whether two addresses name one repository: the same host and path. Scheme, user, port of another scheme and `.git` may
 * differ, as where people fetch over https and push over ssh.
 */
export function isSameRepository(one: string, other: string): boolean {
  return one === other || placeOf(one) === placeOf(other);
}

function placeOf(address: string): string {
  const [, host, path] = /^[a-z][a-z0-9+.-]*:\/\/([^/]*)(.*)$/i.exec(address) ?? scpParts(address) ?? ["", "", address];
  return `${hostOf(host ?? "")}/${pathOf(path ?? "")}`;
}

/** `git@host:path`: what has a slash before its colon is a path. */
function scpParts(address: string): readonly string[] | null {
  return /^((?:[^/:@]*@)?(?:\[[^\]]*\]|[^/:]+)):(.*)$/.exec(address);
}

function hostOf(authority: string): string {
  return authority.replace(/^.*@/, "").replace(/:\d*$/, "").toLowerCase();
}

function pathOf(path: string): string {
  return path
    .replace(/\/+/g, "/")
    .replace(/^\/(?:~\/)?|\/$/g, "")
    .replace(/\.git$/, "");
}
