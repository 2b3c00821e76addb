/** Enough for any path's worth of names. */
export const GLOB_CHARACTERS_MAX = 200;

/**
 * Whether a path is named by a glob: `*` and `?` stand for what a name holds, `**` for any directories. A glob without a
 * slash is compared with the last name. Takes time by the product of both lengths at most, whatever the glob.
 */
export function globPattern(glob: string): (path: string) => boolean {
  const wanted = glob.split("/");
  if (wanted.length === 1) return (path) => isNamed(path.slice(path.lastIndexOf("/") + 1), glob);
  return (path) => matches(path.split("/"), wanted, (name, part) => isNamed(name, part), "**");
}

function isNamed(name: string, glob: string): boolean {
  return matches([...name], [...glob], (character, part) => part === "?" || part === character, "*");
}

/** The classic walk with one way back: to the last part that stands for any number of items. */
function matches(
  items: readonly string[],
  parts: readonly string[],
  isOne: (item: string, part: string) => boolean,
  any: string,
): boolean {
  let [item, part, backItem, backPart] = [0, 0, 0, -1];
  while (item < items.length) {
    const wanted = parts[part];
    if (wanted === any) {
      [backPart, backItem] = [part, item];
      part++;
    } else if (wanted !== undefined && isOne(items[item] ?? "", wanted)) {
      item++;
      part++;
    } else if (backPart === -1) return false;
    else {
      backItem++;
      [item, part] = [backItem, backPart + 1];
    }
  }
  return parts.slice(part).every((rest) => rest === any);
}
