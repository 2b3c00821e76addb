import { copyFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { GIT_ENV, git } from "./git.ts";
import { addRemote, commitAll, freshRepository } from "./git-repository.ts";
import { NpmRegistry } from "./npm-registry.ts";
import { packPackage } from "./packed-package.ts";
import { type Printed, pasteInto } from "./paste.ts";
import { tempDirectory } from "./temp-directory.ts";

const PRELOAD = join(import.meta.dirname, "stdout-is-terminal.cjs");

/** Somebody who has an empty repository with a remote, this package as a file, npm, and nothing else of ours. */
export class NewUser implements AsyncDisposable {
  readonly remote: string;
  readonly #directory = freshRepository();
  readonly #registry: NpmRegistry;

  private constructor(registry: NpmRegistry) {
    this.#registry = registry;
    git(this.#directory, "config", "user.name", "Me");
    git(this.#directory, "config", "user.email", "me@example.invalid");
    commitAll(this.#directory, "First");
    this.remote = addRemote(this.#directory);
    const packed = packPackage();
    copyFileSync(packed, join(this.#directory, basename(packed)));
  }

  static async arrive(): Promise<NewUser> {
    return new NewUser(await NpmRegistry.open());
  }

  /** Pastes steps into a shell there; commands of ours print as they do on a terminal. `env` is over a small one. */
  paste(steps: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Printed> {
    const { PATH: before = "", ...own } = env;
    const path = [before, dirname(process.execPath), process.env["PATH"]].filter((part) => part !== "").join(delimiter);
    const home = { HOME: tempDirectory(), PATH: path, NODE_OPTIONS: `--require=${JSON.stringify(PRELOAD)}` };
    return pasteInto(this.#directory, { ...GIT_ENV, ...this.#registry.env, ...home, ...own }, steps);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#registry[Symbol.asyncDispose]();
  }
}
