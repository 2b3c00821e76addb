import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, gitOutput } from "./git.ts";
import { addRemote, commitAll, freshRepository, writeIn } from "./git-repository.ts";
import { tempDirectory } from "./temp-directory.ts";

/** A checkout of a repository that runs a program wherever git lets it name one, and has files that are called like options. */
export interface HostileCheckout {
  readonly tree: string;
  readonly remote: string;
  /** Where those programs leave their marks. */
  readonly marks: string;
  /** Which of the programs it names were run, by the name of the setting. */
  ran(): readonly string[];
  /** All that a change would show in: paths, kinds, modes and contents of the tree, of git's files and of the remote. */
  state(): string;
}

/** Settings that name a program. */
const PROGRAM_SETTINGS = [
  "core.fsmonitor",
  "core.pager",
  "core.editor",
  "core.sshCommand",
  "core.alternateRefsCommand",
  "diff.external",
  "diff.evil.textconv",
  "diff.evil.command",
  "filter.evil.clean",
  "filter.evil.smudge",
  "filter.evil.process",
  "gpg.program",
  "pager.log",
  "pager.status",
  "pager.diff",
  "interactive.diffFilter",
  "trailer.evil.command",
  "uploadpack.packObjectsHook",
];

export function hostileCheckout(): HostileCheckout {
  const tree = freshRepository();
  const marks = tempDirectory();
  writeIn(tree, "README.md", "a readme: 1\nexport nothing\n-x\n\nEvil: a trailer\n");
  writeIn(tree, "a file.txt", "with a space\n");
  writeIn(tree, "src/a.ts", "export const a = 1;\n");
  writeIn(tree, "src/b.ts", "export const b = 2;\n");
  writeIn(tree, "package.json", '{"name":"evil","scripts":{"evil":"touch fresh"}}\n');
  writeIn(tree, "evil.mk", "all:\n\ttouch fresh\n");
  writeIn(tree, "evil.sed", "w fresh\n");
  writeIn(tree, "--output=fresh", "called like an option\n");
  writeIn(tree, "-dash.txt", "called like an option\n");
  writeIn(tree, "-exec", "called like an option\n");
  writeIn(tree, "evil.sh", `#!/bin/sh\n: >fresh\n`);
  chmodSync(join(tree, "evil.sh"), 0o755);
  commitAll(tree, "first");
  git(tree, "tag", "v1");
  git(tree, "branch", "side");
  writeIn(tree, "README.md", "a readme: 2\nexport nothing\n-x\n\nEvil: a trailer\n");
  writeIn(tree, ".gitattributes", "*.md filter=evil diff=evil\n");
  commitAll(tree, "second\n\nEvil: a trailer");
  sign(tree);
  const remote = addRemote(tree, "origin", "main", "side");
  const outside = tempDirectory();
  writeIn(outside, "secret.txt", "a secret\n");
  symlinkSync(outside, join(tree, "outside"));
  symlinkSync("/etc/passwd", join(tree, "outside.txt"));
  makeSubmodule(tree, marks);
  makeBareRepository(tree, marks);
  for (const setting of PROGRAM_SETTINGS) git(tree, "config", setting, program(marks, setting));
  git(tree, "config", "alias.evil", "!touch fresh");
  git(tree, "config", "alias.status", "!touch fresh");
  git(tree, "config", "log.showSignature", "true");
  git(tree, "config", "core.hooksPath", join(tree, "hooks"));
  for (const hook of ["post-index-change", "reference-transaction", "fsmonitor-watchman"]) {
    writeIn(tree, `hooks/${hook}`, `#!/bin/sh\n: >'${marks}/${hook}'\n`);
    chmodSync(join(tree, "hooks", hook), 0o755);
  }
  // Changed, so that git looks into them.
  writeIn(tree, "README.md", "a readme: 3\nexport nothing\n-x\n");
  writeIn(tree, "src/a.ts", "export const a = 3;\n");
  return {
    tree,
    remote,
    marks,
    ran: () => readdirSync(marks).filter((name) => !name.endsWith(".sh")),
    state: () => [tree, remote].map((directory) => stateOf(directory).join("\n")).join("\n"),
  };
}

/** A program that leaves a mark when it is run. */
function program(marks: string, name: string): string {
  const path = join(marks, `${name}.sh`);
  writeFileSync(path, `#!/bin/sh\n: >'${join(marks, name)}'\ncat 2>/dev/null\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Puts a signature on the last commit, which git would have to let a program check. */
function sign(tree: string): void {
  const commit = gitOutput(tree, ["cat-file", "commit", "HEAD"]);
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n none\n -----END PGP SIGNATURE-----\n";
  const signed = commit.replace("\n\n", `\n${signature}\n`);
  git(tree, "reset", "-q", "--soft", gitOutput(tree, ["hash-object", "-t", "commit", "-w", "--stdin"], signed).trim());
}

/** Git would run git in it, and that the monitor of its own configuration. */
function makeSubmodule(tree: string, marks: string): void {
  const inner = join(tree, "module");
  mkdirSync(inner);
  git(inner, "init", "-q", "-b", "main");
  writeIn(inner, "inner.txt", "inner\n");
  commitAll(inner);
  git(tree, "add", "module");
  writeIn(tree, ".gitmodules", '[submodule "module"]\n\tpath = module\n\turl = ./module\n\tignore = none\n');
  git(tree, "add", ".gitmodules");
  git(tree, "commit", "-q", "-m", "with a module");
  git(inner, "config", "core.fsmonitor", program(marks, "module.fsmonitor"));
  writeIn(inner, "inner.txt", "changed\n");
}

/** A directory of the tree that is a repository by its looks. */
function makeBareRepository(tree: string, marks: string): void {
  const bare = join(tree, "evil.git");
  git(tree, "init", "-q", "--bare", bare);
  git(bare, "config", "core.bare", "false");
  git(bare, "config", "core.worktree", tree);
  git(bare, "config", "core.fsmonitor", program(marks, "bare.fsmonitor"));
}

function stateOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(directory, name);
      const stats = lstatSync(path);
      const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path, "latin1") : "";
      return `${name} ${stats.mode} ${stats.mtimeMs} ${content}`;
    });
}
