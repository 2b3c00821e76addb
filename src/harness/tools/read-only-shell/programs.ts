import type { ProgramRules } from "./judge-options.ts";

const PATHS = ["path"] as const;
const TEXT = ["text"] as const;
const NONE = [] as const;

const GREP: ProgramRules = {
  flags: `-E -F -G -P -i -y -v -w -x -c -l -L -o -q -s -b -H -h -n -T -Z -z -a -I -r -U
    --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp
    --line-regexp --count --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages
    --byte-offset --with-filename --no-filename --line-number --initial-tab --null --null-data --text --recursive --binary`,
  values: `-e -m -A -B -C -d -D --regexp --max-count --after-context --before-context --context --include --exclude --exclude-dir
    --binary-files --label --directories --devices --group-separator`,
  paths: "-f --file --exclude-from",
  attached: "--color --colour",
  takesNumbers: true,
  operands: ["text", "path"],
  firstOperandUnless: "-e -f --regexp --file",
};

/**
 * Programs that only read, whatever their arguments hold, with the options for which that is true. A program or an option is
 * missing here where it writes (`sort -o`, `tee`), runs another (`xargs`, `rg --pre`, `find -exec`), never ends (`tail -f`) or
 * takes orders from a file. A second operand that would be written to (`uniq`, `xxd`) is refused by its number.
 */
export const PROGRAMS: Readonly<Record<string, ProgramRules>> = {
  basename: { flags: "-a -z --multiple --zero", values: "-s --suffix", operands: TEXT },
  base64: { flags: "-d -i --decode --ignore-garbage", values: "-w --wrap", operands: PATHS, operandsMax: 1 },
  cat: {
    flags:
      "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    operands: PATHS,
  },
  cksum: { operands: PATHS },
  cmp: {
    flags: "-b -l -s --print-bytes --verbose --quiet --silent",
    values: "-n -i --bytes --ignore-initial",
    operands: ["path", "path", "text"],
  },
  column: { flags: "-t -x", values: "-s -o -c", operands: PATHS },
  comm: { flags: "-1 -2 -3 --check-order --nocheck-order --total --zero-terminated -z", operands: PATHS },
  cut: {
    flags: "-s -n -z --only-delimited --complement --zero-terminated",
    values: "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
    operands: PATHS,
  },
  // Any other operand sets the clock.
  date: {
    flags: "-u -R --utc --universal --rfc-email",
    attached: "-I --iso-8601 --rfc-3339",
    operands: TEXT,
    operandForm: /^\+/,
  },
  df: { flags: "-h -H -i -k -m -P -T -a --human-readable --all", operands: PATHS },
  diff: {
    flags: `-q -s -c -u -e -n -y -l -t -T -a -i -E -b -w -B -d -N --brief --report-identical-files --side-by-side --left-column
      --suppress-common-lines --text --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines
      --ignore-trailing-space --minimal --new-file --strip-trailing-cr --no-dereference`,
    values: "-C -U -W -I --context --unified --width --ignore-matching-lines --label",
    attached: "--color",
    takesNumbers: true,
    operands: PATHS,
  },
  dirname: { flags: "-z --zero", operands: TEXT },
  du: {
    flags: "-a -b -c -h -k -m -s -S -x -0 --all --bytes --total --human-readable --summarize --apparent-size --one-file-system",
    values: "-d -t --max-depth --exclude --threshold",
    operands: PATHS,
  },
  egrep: GREP,
  expand: { flags: "-i --initial", values: "-t --tabs", operands: PATHS },
  false: { operands: NONE },
  fgrep: GREP,
  file: { flags: "-b -i -h -N -k --brief --mime --mime-type --mime-encoding --no-dereference", operands: PATHS },
  fold: { flags: "-b -s --bytes --spaces", values: "-w --width", operands: PATHS },
  grep: GREP,
  head: {
    flags: "-q -v -z --quiet --silent --verbose --zero-terminated",
    values: "-n -c --lines --bytes",
    takesNumbers: true,
    operands: PATHS,
  },
  hexdump: { flags: "-b -c -C -d -o -v -x", values: "-n -s", operands: PATHS },
  id: { flags: "-u -g -G -n", operands: NONE },
  join: { flags: "-i --header -z", values: "-a -e -j -o -t -v -1 -2", operands: PATHS },
  jq: {
    flags: `-r -c -s -n -e -S -a -j -M -C -R --raw-output --compact-output --slurp --null-input --exit-status --sort-keys
      --ascii-output --join-output --monochrome-output --color-output --raw-input --tab`,
    values: "--indent",
    operands: ["text", "path"],
  },
  ls: {
    flags: `-a -A -b -B -c -C -d -f -F -g -G -h -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1 --all --almost-all
      --directory --human-readable --inode --recursive --reverse --size --full-time --group-directories-first --si --zero
      --numeric-uid-gid --no-group --escape --literal --quote-name`,
    values: "-w -T -I --width --ignore --hide --sort --time --time-style --format --block-size --indicator-style --quoting-style",
    attached: "--color --hyperlink --classify",
    operands: PATHS,
  },
  md5sum: { flags: "-b -t -z --binary --text --tag --zero", operands: PATHS },
  nl: { flags: "-p", values: "-b -d -f -h -i -l -n -s -v -w", operands: PATHS },
  od: { flags: "-a -b -c -d -f -i -l -o -s -v -x", values: "-A -j -N -t -w -S", operands: PATHS },
  paste: { flags: "-s -z --serial --zero-terminated", values: "-d --delimiters", operands: PATHS },
  pwd: { flags: "-L -P", operands: NONE },
  readlink: { flags: "-f -e -m -n -z --canonicalize --canonicalize-existing --canonicalize-missing", operands: PATHS },
  realpath: {
    flags: "-e -m -s -z -q --canonicalize-existing --canonicalize-missing --no-symlinks",
    paths: "--relative-to --relative-base",
    operands: PATHS,
  },
  rev: { operands: PATHS },
  rg: {
    flags: `-i -s -S -F -v -w -x -c -l -o -q -n -N -H -I -U -P -a -p -0 -u --ignore-case --case-sensitive --smart-case
      --fixed-strings --invert-match --word-regexp --line-regexp --count --count-matches --files-with-matches
      --files-without-match --only-matching --quiet --line-number --no-line-number --with-filename --no-filename --multiline
      --pcre2 --text --hidden --no-ignore --files --json --heading --no-heading --vimgrep --trim --stats --type-list --column
      --no-messages --crlf --null --no-config --multiline-dotall --byte-offset --passthru`,
    values: `-e -g -t -T -m -A -B -C -r -d -E --regexp --glob --iglob --type --type-not --max-count --after-context --before-context
      --context --replace --max-depth --max-columns --sort --sortr --max-filesize --color --encoding`,
    paths: "-f --file --ignore-file",
    operands: ["text", "path"],
    firstOperandUnless: "-e -f --regexp --file --files --type-list",
  },
  seq: { flags: "-w --equal-width", values: "-f -s --format --separator", operands: TEXT },
  sha1sum: { flags: "-b -t -z --binary --text --tag --zero", operands: PATHS },
  sha256sum: { flags: "-b -t -z --binary --text --tag --zero", operands: PATHS },
  sort: {
    flags: `-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order --ignore-case
      --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --reverse --version-sort --stable --unique
      --zero-terminated --merge`,
    values: "-k -t --key --field-separator",
    attached: "--check --sort",
    operands: PATHS,
  },
  stat: { flags: "-L -f -t --dereference --file-system --terse", values: "-c --format --printf", operands: PATHS },
  strings: { flags: "-a -f", values: "-n -t -e", operands: PATHS },
  tac: { flags: "-b -r --before --regex", values: "-s --separator", operands: PATHS },
  tail: {
    flags: "-q -v -z --quiet --silent --verbose --zero-terminated",
    values: "-n -c --lines --bytes",
    takesNumbers: true,
    operands: PATHS,
  },
  tr: { flags: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", operands: TEXT },
  tree: {
    flags: "-a -d -f -i -s -h -p -u -g -D -F -r -t -U -n --noreport --dirsfirst --prune --du --si --gitignore",
    values: "-L -P -I --filelimit --charset --sort",
    operands: PATHS,
  },
  true: { operands: NONE },
  uname: { flags: "-a -s -n -r -v -m -p -i -o", operands: NONE },
  unexpand: { flags: "-a --all --first-only", values: "-t --tabs", operands: PATHS },
  uniq: {
    flags: "-c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated",
    values: "-f -s -w --skip-fields --skip-chars --check-chars",
    attached: "--all-repeated --group",
    operands: PATHS,
    operandsMax: 1,
  },
  wc: { flags: "-c -m -l -L -w --bytes --chars --lines --max-line-length --words", operands: PATHS },
  which: { flags: "-a", operands: TEXT },
  whoami: { operands: NONE },
  xxd: { flags: "-a -b -C -e -i -p -u", values: "-c -g -l -s -o", operands: PATHS, operandsMax: 1 },
};
