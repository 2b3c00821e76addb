/** What a git command came to. */
export interface GitResult {
  /** Null where git gave none: `broken` says why, and what it printed may be half of an answer. */
  readonly exit_code: number | null;
  readonly stdout: string;
  /** Without credentials; of a long one the beginning and the end. */
  readonly stderr: string;
  /** Why there is no exit code: git could not be run, was killed, or was ended at a limit. */
  readonly broken?: string;
}

export interface RunOptions {
  readonly input?: string;
  /** Variables of this command alone. */
  readonly env?: Readonly<Record<string, string>>;
  /** The remote may run hooks before it answers, which takes them longer than a network is silent. */
  readonly waitsForHooks?: boolean;
}

/** A command that is asked and answers, again and again. */
export interface GitDialogue {
  ask(question: string): void;
  /** The next line of the answer, without its end; undefined where git will say no more. */
  line(): Promise<string | undefined>;
  /** So many bytes of the answer; undefined where git ends before that. */
  bytes(count: number): Promise<Buffer | undefined>;
  /** Passes over so many bytes; false where git ends before that. */
  skip(count: number): Promise<boolean>;
  /** Lets git end, and says how it did. What it answered counts only if that is exit code 0. */
  end(): Promise<GitResult>;
}

/** Runs git in one directory. A refusal is a result, never an exception. */
export interface Git {
  run(args: readonly string[], options?: RunOptions): Promise<GitResult>;
  converse(args: readonly string[]): Promise<GitDialogue>;
  /** For a command that needs neither network nor person, where the caller cannot give way; only after another one ran. */
  runNow(args: readonly string[], input: string): GitBytes;
}

/** As {@link GitResult}, for output that is no text. */
export type GitBytes = Omit<GitResult, "stdout"> & { readonly stdout: Buffer };
