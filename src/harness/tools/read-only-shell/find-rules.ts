import { RefusedLine } from "./refused-line.ts";
import { literalOf, type ShellWord } from "./shell-word.ts";

/** Parts of an expression by how many words follow that belong to them. What writes or runs (`-exec`, `-fprint`) is not here. */
const ALONE =
  `( ) ! , -a -o -and -or -not -print -print0 -ls -prune -quit -empty -true -false -depth -mount -xdev -executable -readable
  -writable -nouser -nogroup -daystart -noleaf -ignore_readdir_race`.split(/\s+/);
const WITH_TEXT =
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime
  -amin -ctime -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -lname -ilname -printf -fstype -used`.split(
    /\s+/,
  );
const WITH_PATH = "-newer -anewer -cnewer -samefile".split(" ");

/** Judges the words after `find`, and gives its paths. Throws RefusedLine. */
export function judgeFind(words: readonly ShellWord[]): readonly ShellWord[] {
  const start = words[0] !== undefined && ["-H", "-P"].includes(literalOf(words[0]) ?? "") ? 1 : 0;
  const begins = words.findIndex((word, at) => at >= start && /^[-(!,]/.test(literalOf(word) ?? ""));
  const end = begins === -1 ? words.length : begins;
  const paths = [...words.slice(start, end)];
  for (let at = end; at < words.length; at++) {
    const part = literalOf(words[at] ?? []);
    if (part === undefined) throw new RefusedLine("find: put patterns in quotes");
    if (ALONE.includes(part)) continue;
    const [takesText, takesPath] = [WITH_TEXT.includes(part), WITH_PATH.includes(part)];
    if (!takesText && !takesPath) throw new RefusedLine(`find: ${part} is not one of its parts that are known to read only`);
    const value = words[++at];
    if (value === undefined || literalOf(value) === undefined) throw new RefusedLine(`find: ${part} needs a value, in quotes`);
    if (takesPath) paths.push(value);
  }
  return paths;
}
