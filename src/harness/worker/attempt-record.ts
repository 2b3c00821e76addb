import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, ioError } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import { BLOCKER_KINDS } from "../../job/job.ts";
import { isJsonObject } from "../../json/json.ts";
import { parseLossless } from "../../json/lossless-json.ts";
import { z } from "../../json/zod.ts";

const buildSchema = () => {
  const text = z.string();
  const life = z.strictObject({
    host: text,
    boot_id: text,
    pid_namespace: text,
    pid: z.number(),
    started_at: text,
  });
  const checkpoint = z.exactOptional(z.custom<Readonly<Record<string, unknown>>>(isJsonObject));
  const outcome = z.strictObject({
    checkpoint,
    nextWakeAt: z.exactOptional(text),
    result: z.exactOptional(z.unknown()),
    resultAddress: z.exactOptional(text),
    blocker: z.exactOptional(z.strictObject({ kind: z.enum(BLOCKER_KINDS), detail: text })),
  });
  const settlement = z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("finish"), outcome }),
    z.strictObject({ kind: z.literal("step"), checkpoint }),
    z.strictObject({ kind: z.literal("fail"), detail: text }),
  ]);
  return z.strictObject({
    claim: z.strictObject({ job_id: text, attempt_id: text, claim_id: text }),
    worker_id: text,
    harness: text,
    worker: life,
    /** Absent while the run goes on. */
    settled: z.exactOptional(
      z.strictObject({
        settlement,
        usage: z.strictObject({ tokensUsed: z.exactOptional(z.number()), costUsd: z.exactOptional(z.number()) }),
      }),
    ),
  });
};

/** What a worker remembers of an attempt until the store took its outcome; a later worker goes on from it. */
export type AttemptRecord = Readonly<z.infer<ReturnType<typeof buildSchema>>>;

const SUFFIX = ".json";

/** The attempts of one fleet that this host's workers are at. Files are whole or not there; names are attempt ids. */
export class AttemptRecords {
  readonly #directory: string;

  /** Throws JobError IO where the directory cannot be made. */
  constructor(directory: string) {
    this.#directory = directory;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw ioError(directory, cause);
    }
  }

  /** Durable when it returns. Throws JobError IO. */
  put(record: AttemptRecord): void {
    const path = this.#pathOf(record.claim.attempt_id);
    const fresh = `${path}.new`;
    try {
      const descriptor = openSync(fresh, "w", 0o600);
      try {
        writeFileSync(descriptor, `${JSON.stringify(record)}\n`);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(fresh, path);
    } catch (cause) {
      throw ioError(path, cause);
    }
  }

  /** Forgets an attempt. One that cannot be removed is settled once more by the next worker, which changes nothing. */
  remove(attemptId: string): void {
    try {
      rmSync(this.#pathOf(attemptId), { force: true });
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }

  /** Every record, and of those that cannot be read why. */
  all(): readonly (AttemptRecord | JobError)[] {
    const names = readdirSync(this.#directory).filter((name) => name.endsWith(SUFFIX));
    return names.map((name) => this.#read(join(this.#directory, name)));
  }

  #read(path: string): AttemptRecord | JobError {
    try {
      const parsed = buildSchema().safeParse(parseLossless(readFileSync(path, "utf8")));
      if (parsed.success) return parsed.data;
      return new JobError("CORRUPT", `${path}: is no record of an attempt (${parsed.error.issues[0]?.message}); remove it`, {
        file: path,
      });
    } catch (cause) {
      return errnoOf(cause) === undefined
        ? new JobError("CORRUPT", `${path}: is not JSON; remove it`, { file: path, cause })
        : ioError(path, cause);
    }
  }

  #pathOf(attemptId: string): string {
    return join(this.#directory, attemptId + SUFFIX);
  }
}
