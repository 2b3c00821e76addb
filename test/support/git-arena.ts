import { join } from "node:path";
import { expect } from "vitest";
import { ForkedProgram } from "./forked-program.ts";
import type { GitRemote } from "./git-remote.ts";
import type { Deed, GitRivalMessage } from "./git-rival.ts";
import { LineLog } from "./line-log.ts";
import { tempDirectory } from "./temp-directory.ts";

/** Rivals in long-lived processes, each with a clone of its own, every second one of depth 1, over one remote. */
export class GitArena implements AsyncDisposable {
  readonly #rivals: readonly ForkedProgram<GitRivalMessage>[];
  readonly #claims: LineLog<string>;
  readonly #mails: LineLog<string>;

  /** `urlOf` says under which address a clone reaches the remote; file:// where it is not given. */
  constructor(remote: GitRemote, rivals: number, url = remote.url) {
    const logs = tempDirectory();
    this.#claims = new LineLog(join(logs, "claims"));
    this.#mails = new LineLog(join(logs, "mails"));
    this.#rivals = Array.from({ length: rivals }, (_, i) => {
      const clone = remote.clone(...(i % 2 === 0 ? [] : ["--depth", "1"]));
      if (url !== remote.url) setRemoteUrl(remote, clone, url);
      return new ForkedProgram("git-rival.ts", clone, this.#claims.path, this.#mails.path);
    });
  }

  /** Every claim that may run a model: its attempt. */
  get claims(): readonly string[] {
    return this.#claims.entries();
  }

  /** Every mail that went out: its attempt. */
  get mails(): readonly string[] {
    return this.#mails.entries();
  }

  /** Arms one rival a deed, lets all of them go at once, and gives what each came to. */
  async release(deeds: readonly Deed[]): Promise<readonly GitRivalMessage[]> {
    const acting = deeds.map((deed, i) => {
      const rival = this.#rivals[i];
      if (rival === undefined) throw new Error(`there are only ${this.#rivals.length} rivals`);
      rival.tell(deed);
      return rival;
    });
    for (const rival of acting) expect(await rival.hear()).toBe("armed");
    for (const rival of acting) rival.tell("go");
    const messages: GitRivalMessage[] = [];
    for (const rival of acting) messages.push((await rival.hear()) ?? { thrown: "it died" });
    return messages;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#rivals.map((rival) => rival.kill()));
  }
}

function setRemoteUrl(remote: GitRemote, clone: string, url: string): void {
  remote.git("-C", clone, "remote", "set-url", "origin", url);
}

/** The answers' states, sorted. Anything that was thrown shows as itself, and fails whoever compares. */
export function statesOf(messages: readonly GitRivalMessage[]): readonly string[] {
  return messages
    .map((message) => {
      if (message === "armed") return message;
      if ("thrown" in message) return message.thrown;
      return "answer" in message ? message.answer.state : "ticked";
    })
    .sort();
}

/** One commit after another, each on the one before, each pushed once: nobody merged, forced or lost anything. */
export function expectStraightLine(remote: GitRemote, branch = "main"): void {
  const history = remote.history(branch);
  expect(history.filter(({ parents }) => parents.length > 1)).toEqual([]);
  expect(history.filter(({ parents }) => parents.length === 0)).toHaveLength(1);
  const moves = remote.git("reflog", "show", "--format=%H", `refs/heads/${branch}`).split("\n");
  expect(moves).toEqual(history.map(({ commit }) => commit));
  remote.git("fsck", "--strict", "--no-dangling");
}
