import { judgeOptions, type ProgramRules } from "./judge-options.ts";
import { RefusedLine } from "./refused-line.ts";
import { literalOf, type ShellWord, textWord } from "./shell-word.ts";

const NONE = [] as const;
const OPERANDS = ["path"] as const;

/** How differences are shown. Nothing that writes (`--output`), runs (`--ext-diff`, `--textconv`) or enters submodules. */
const DIFF_FLAGS = `-p -u -s -b -w -a -z -R --patch --no-patch --raw --patch-with-raw --minimal --patience --histogram --numstat
  --shortstat --summary --patch-with-stat --name-only --name-status --no-color --no-renames --full-index --binary --check
  --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --function-context -W
  --exit-code --quiet --no-prefix --text --pickaxe-all --pickaxe-regex --cached --staged --merge-base --cc -c -m --no-ext-diff
  --no-textconv --compact-summary --find-copies-harder -r -t --root`;
const DIFF_VALUES =
  "-S -G -O -l --diff-filter --diff-algorithm --anchored --inter-hunk-context --src-prefix --dst-prefix --word-diff-regex";
const DIFF_ATTACHED =
  "-U -M -C -B --unified --stat --dirstat --color --word-diff --color-words --find-renames --find-copies --abbrev --relative --color-moved --ws-error-highlight";

const LOG_FLAGS = `--oneline --graph --all --branches --tags --remotes --reverse --no-merges --merges --first-parent --follow --full-history
  --topo-order --date-order --author-date-order --boundary --left-right --cherry-pick --cherry-mark --decorate --no-decorate
  --no-abbrev-commit --abbrev-commit --parents --children --invert-grep --all-match --regexp-ignore-case -i -E -F -P --extended-regexp
  --fixed-strings --perl-regexp --simplify-by-decoration --simplify-merges --dense --sparse --ancestry-path --no-notes
  --relative-date --source --no-walk`;
const LOG_VALUES =
  "-n -L --max-count --skip --since --after --until --before --author --committer --grep --format --date --min-parents --max-parents --encoding";
const LOG_ATTACHED =
  "--pretty --decorate --decorate-refs --decorate-refs-exclude --branches --tags --remotes --glob --exclude --no-walk";

/**
 * The commands of git that only look, with the options for which that is true. All of them are built in, so that no alias can
 * stand in their place. Under git's own configuration some would run programs: they are given another one (git-view.ts).
 */
const COMMANDS: Readonly<Record<string, ProgramRules>> = {
  blame: {
    flags:
      "-b -c -e -f -l -n -p -s -t -w --root --show-stats --porcelain --line-porcelain --incremental --show-name --show-number --show-email",
    values: "-L --since --date --abbrev",
    attached: "-M -C",
    operands: OPERANDS,
  },
  branch: {
    flags: "-a -r -v -vv --all --remotes --verbose --list --show-current --no-color --no-column --ignore-case",
    values: "--sort --format --contains --no-contains --points-at --merged --no-merged",
    attached: "--abbrev --color",
    operands: OPERANDS,
  },
  "cat-file": { flags: "-p -t -s -e", operands: OPERANDS },
  "check-ignore": { flags: "-v -n -q --verbose --non-matching --no-index", operands: OPERANDS },
  "count-objects": { flags: "-v -H --verbose --human-readable", operands: NONE },
  describe: {
    flags: "--all --tags --contains --long --always --exact-match --first-parent",
    values: "--candidates --match --exclude",
    attached: "--abbrev",
    operands: OPERANDS,
  },
  diff: { flags: DIFF_FLAGS, values: DIFF_VALUES, attached: DIFF_ATTACHED, operands: OPERANDS },
  "diff-tree": {
    flags: `${DIFF_FLAGS} --no-commit-id`,
    values: DIFF_VALUES,
    attached: `${DIFF_ATTACHED} --pretty --format`,
    operands: OPERANDS,
  },
  "for-each-ref": {
    values: "--count --sort --format --points-at --contains --no-contains --merged --no-merged --exclude",
    operands: OPERANDS,
  },
  grep: {
    flags: `-a -i -I -v -w -h -H -l -L -c -o -q -n -z -W -p -E -F -G -P --text --ignore-case --invert-match --word-regexp
      --files-with-matches --name-only --files-without-match --count --only-matching --quiet --line-number --column --null
      --function-context --show-function --extended-regexp --fixed-strings --basic-regexp --perl-regexp --cached --untracked
      --full-name --break --heading --all-match --and --or --not --no-color`,
    values: "-e -m -A -B -C --max-depth --after-context --before-context --context --max-count --threads",
    paths: "-f",
    attached: "--color",
    takesNumbers: true,
    operands: ["text", "path"],
    firstOperandUnless: "-e -f",
  },
  log: {
    flags: `${LOG_FLAGS} ${DIFF_FLAGS}`,
    values: `${LOG_VALUES} ${DIFF_VALUES}`,
    attached: `${LOG_ATTACHED} ${DIFF_ATTACHED}`,
    takesNumbers: true,
    operands: OPERANDS,
  },
  "ls-files": {
    flags:
      "-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --exclude-standard --full-name --error-unmatch --eol --no-empty-directory --deduplicate",
    values: "-x --exclude --format",
    attached: "--abbrev",
    operands: OPERANDS,
  },
  "ls-tree": {
    flags: "-d -r -t -l -z --long --name-only --name-status --full-name --full-tree --object-only",
    values: "--format",
    attached: "--abbrev",
    operands: OPERANDS,
  },
  "merge-base": { flags: "-a --all --octopus --is-ancestor --independent --fork-point", operands: OPERANDS },
  "name-rev": { flags: "--tags --all --name-only --always --no-undefined", values: "--refs --exclude", operands: OPERANDS },
  remote: { flags: "-v --verbose", operands: NONE },
  "rev-list": {
    flags: `${LOG_FLAGS} --count --objects --timestamp --quiet`,
    values: LOG_VALUES,
    attached: LOG_ATTACHED,
    takesNumbers: true,
    operands: OPERANDS,
  },
  "rev-parse": {
    flags:
      "--verify --quiet -q --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --is-inside-work-tree --is-bare-repository --is-shallow-repository --all --branches --tags --remotes --revs-only --no-revs --flags --no-flags --not",
    attached: "--short --abbrev-ref --show-object-format",
    operands: OPERANDS,
  },
  shortlog: {
    flags: "-s -n -e -c --summary --numbered --email --committer --no-merges --all",
    values: "--since --until --author --group --format",
    attached: "-w",
    operands: OPERANDS,
  },
  show: {
    flags: `${LOG_FLAGS} ${DIFF_FLAGS}`,
    values: `${LOG_VALUES} ${DIFF_VALUES}`,
    attached: `${LOG_ATTACHED} ${DIFF_ATTACHED}`,
    takesNumbers: true,
    operands: OPERANDS,
  },
  "show-ref": {
    flags: "--head --heads --tags -d --dereference -s --hash --verify -q --quiet",
    attached: "--abbrev",
    operands: OPERANDS,
  },
  status: {
    flags: "-s -b -v -z --short --branch --show-stash --long --verbose --ahead-behind --no-ahead-behind --renames --no-renames",
    attached: "-u --porcelain --untracked-files --ignored --find-renames",
    operands: OPERANDS,
  },
  tag: {
    flags: "-l --list --no-column --ignore-case",
    values: "--sort --format --contains --no-contains --points-at --merged --no-merged",
    attached: "-n --color",
    operands: OPERANDS,
  },
  version: { operands: NONE },
};

/** Commands that make something out of an operand, unless they are told to list. */
const LISTS_WITH: Readonly<Record<string, readonly string[]>> = { branch: ["--list"], tag: ["-l", "--list"] };

/** Git would run git in every submodule that it compares with, under whatever configuration lies there. */
const LOOKS_INTO_SUBMODULES = ["diff", "status"];

/** Judges the words after `git`; gives those to run, and the paths among them. Throws RefusedLine. */
export function judgeGit(words: readonly ShellWord[]): {
  readonly words: readonly ShellWord[];
  readonly paths: readonly ShellWord[];
} {
  const given = words[0] !== undefined && literalOf(words[0]) === "--no-pager" ? words.slice(1) : words;
  const [first, ...rest] = given;
  const command = first === undefined ? "" : (literalOf(first) ?? "");
  if (command.startsWith("-") && command !== "--version") {
    throw new RefusedLine(`git: the option ${command} before the command is not taken; cd to a directory instead of -C`);
  }
  const name = command === "--version" ? "version" : command;
  const rules = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (rules === undefined) throw new RefusedLine(`git ${command} is not one of the commands that are known to read only`);
  const { options, operands, paths } = judgeOptions(`git ${name}`, rules, rest);
  const lists = LISTS_WITH[name];
  if (lists !== undefined && operands.length > 0 && !lists.some((option) => options.has(option))) {
    throw new RefusedLine(`git ${name} with a name makes one; to list, say ${lists.at(-1)}`);
  }
  const inserted = LOOKS_INTO_SUBMODULES.includes(name) ? [textWord("--ignore-submodules=all")] : [];
  return { words: [textWord("--no-pager"), textWord(name), ...inserted, ...rest], paths };
}
