import { JobError } from "../../src/errors/job-error.ts";
import { randomIds } from "../../src/facts/ids.ts";
import type { Fleet } from "../../src/fleet.ts";
import type { EnclosedCommand, RunEnd } from "../../src/harness/enclosure/run-enclosed.ts";
import type { Conclusion } from "../../src/harness/program.ts";
import { AttemptRecords } from "../../src/harness/worker/attempt-record.ts";
import { Worker } from "../../src/harness/worker/worker.ts";
import type { WorkerEvent } from "../../src/harness/worker/worker-event.ts";
import type { HoldRule } from "../../src/job/hold.ts";
import type { Job } from "../../src/job/job.ts";
import type { JobStore, StepFunction } from "../../src/store/job-store.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { FakePages } from "./fake-pages.ts";
import { NOON } from "./noon.ts";
import { SimulatedTime } from "./simulated-time.ts";
import { tempDirectory } from "./temp-directory.ts";

export const WORLD_JOBS = ["harbor-train-0001", "harbor-crane-0001"];
export const LEASE_SECONDS = 60;

/** What may happen to one call on the store. */
export interface Weather {
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly fate: "answered" | "refused" | "answer_lost";
}

/** How one run of a model goes. */
export interface Run {
  /** Before it can start: a large repository takes its time. */
  readonly preparesMs?: number;
  readonly takesMs: number;
  readonly obeys: boolean;
  readonly outcome: Conclusion;
}

export interface Schedule {
  readonly weather: readonly Weather[];
  readonly runs: readonly Run[];
  /** Worker by worker: when it is killed, and comes back as another. */
  readonly crashes: readonly { readonly worker: number; readonly atMs: number }[];
  /** A worker's wall clock jumps while its model runs. */
  readonly jumps: readonly { readonly worker: number; readonly atMs: number; readonly seconds: number }[];
  /** Runs are made by an adapter of this name, which a hold covers from that moment on. */
  readonly adapter?: { readonly id: string; readonly heldFromMs: number };
  /** Default five minutes. */
  readonly timeLimitMs?: number;
  /** When both workers are told to stop; the second time, at once. They give their runs a second. */
  readonly stopsAtMs?: readonly number[];
  /** Fields of both jobs, over the plain ones. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Default 20 seconds. */
  readonly tickEveryMs?: number;
}

const WORLD_MS = 1_200_000;

/** Two workers and a watchdog over one store, in a time of their own; who runs a model of which job is written down. */
export class World {
  readonly time = new SimulatedTime();
  readonly #schedule: Schedule;
  readonly #store: MemoryJobStore;
  readonly #live = new Map<string, Set<symbol>>();
  readonly #wrong: string[] = [];
  readonly #stopped = [new AbortController(), new AbortController()] as const;
  /** Every run of a model, in milliseconds of the world. */
  readonly ran: { readonly jobId: string; readonly fromMs: number; toMs: number; why: string }[] = [];
  readonly told: WorkerEvent[] = [];
  readonly directory = tempDirectory();
  calls = 0;
  runs = 0;

  constructor(given: Schedule) {
    this.#schedule = given;
    this.#store = new MemoryJobStore(
      new Map(
        WORLD_JOBS.map((jobId) => [
          jobId,
          JSON.stringify({
            job_id: jobId,
            owner_claim: "HARBOR",
            harness: "script",
            objective: "Keep the release train moving.",
            next_wake_at: "2026-11-30T11:00:00Z",
            deadline: "2027-12-31T00:00:00Z",
            lease_seconds: LEASE_SECONDS,
            backoff_seconds: 1,
            max_backoff_seconds: 5,
            max_attempts: 1000,
            ...given.fields,
          }),
        ]),
      ),
    );
  }

  /** Lets the world run, and says where two models of one job lived at once. */
  async play(endMs = WORLD_MS): Promise<readonly string[]> {
    void this.#tick();
    for (const [i, atMs] of (this.#schedule.stopsAtMs ?? []).entries())
      void this.time.pause(atMs, atMs).then(() => this.#stopped[i]?.abort());
    for (const worker of [0, 1]) void this.#work(worker, 0);
    await this.time.runUntil(endMs);
    return this.#wrong;
  }

  async job(jobId: string): Promise<Job> {
    const entry = await this.#store.read(jobId);
    if (entry?.job === undefined) throw new Error(`there is no ${jobId}`);
    return entry.job;
  }

  /** What its owner does at a moment of the world. */
  at(ms: number, act: (fleet: Fleet) => Promise<unknown>): void {
    void this.time.pause(ms, ms).then(() => act(this.#parts(this.#store, () => this.#trueNow())));
  }

  /** The watchdog's clock is the true one. */
  async #tick(): Promise<void> {
    for (;;) {
      await runTick({ ...this.#parts(this.#store, () => this.#trueNow()) }, { workerId: "watchdog" });
      const { tickEveryMs = 20_000 } = this.#schedule;
      await this.time.pause(tickEveryMs, tickEveryMs);
    }
  }

  #holds(): readonly HoldRule[] {
    const { adapter } = this.#schedule;
    const isHeld = adapter !== undefined && this.time.nowMs >= adapter.heldFromMs;
    return isHeld ? [{ name: "ADAPTER_HOLD", match: [adapter.id], note: "not now" }] : [];
  }

  #trueNow(): number {
    return NOON + Math.floor(this.time.nowMs / 1000);
  }

  #parts(store: JobStore, now: () => number): Fleet {
    const clock = { now, monotonic: this.time.clock.monotonic };
    return { store, clock, ids: randomIds, pages: new FakePages(), holds: { inForce: async () => this.#holds() } };
  }

  /** One life of a worker, until it is killed; then the next begins. */
  async #work(worker: number, life: number): Promise<void> {
    const bornAtMs = this.time.nowMs;
    const crash = this.#schedule.crashes
      .filter((one) => one.worker === worker && one.atMs > bornAtMs)
      .sort((a, b) => a.atMs - b.atMs)[0];
    const killed = new AbortController();
    const children = new Set<() => void>();
    const store = this.#reached(killed.signal);
    const now = (): number => this.#trueNow() + this.#skewOf(worker, children.size > 0);
    const pause: SimulatedTime["pause"] = (least, most, signal) =>
      this.time.pause(least, most, signal).then(() => (killed.signal.aborted ? NEVER : undefined));
    const ports = {
      fleet: this.#parts(store, now),
      claimant: { workerId: `worker-${worker}`, harness: "script" },
      ...(this.#schedule.adapter !== undefined && { adapterId: this.#schedule.adapter.id }),
      timing: { clock: this.time.clock, pause },
      launch: (command: EnclosedCommand) => this.#launch(command, children),
      openWorkspace: async () => {
        const { preparesMs = 0 } = this.#next(this.#schedule.runs, this.runs);
        await pause(preparesMs, preparesMs);
        return { directory: this.directory, mounts: [], close: async () => ({ state: "left", warnings: [] }) as const };
      },
      programFor: async ({ job_id }: { job_id: string }) => {
        const outcome = this.#next(this.#schedule.runs, this.runs).outcome;
        return {
          argv: ["model", job_id] as const,
          env: {},
          stdin: "",
          mounts: [],
          secrets: [],
          onStdout: () => undefined,
          usage: () => ({ tokensUsed: 1 }),
          conclude: (end: RunEnd): Conclusion => (end.state === "ended" ? outcome : { kind: "failed", detail: end.state }),
          close: async () => undefined,
        };
      },
      promptOf: () => "go",
      environmentFor: () => ({}),
      mounts: [],
      runsDirectory: `${this.directory}/runs-${worker}-${life}`,
      logsDirectory: this.directory,
      timeLimitMs: this.#schedule.timeLimitMs ?? 300_000,
      records: new AttemptRecords(`${this.directory}/records-${worker}-${life}`),
      inbox: undefined,
      tell: (event: WorkerEvent) => void this.told.push(event),
      stopping: this.#stopped[0].signal,
      stoppingAtOnce: this.#stopped[1].signal,
    };
    void new Worker(ports, { once: false, concurrency: 2, lookEveryMs: 15_000, graceMs: 1_000 }).run();
    if (crash === undefined) return;
    await this.time.pause(crash.atMs - bornAtMs, crash.atMs - bornAtMs);
    killed.abort();
    // A worker that is killed takes its agents with it.
    for (const die of children) die();
    await this.#work(worker, life + 1);
  }

  /** A jump is mended before the next claim: a clock that is wrong there is the machine's owner's to set. */
  #skewOf(worker: number, isRunning: boolean): number {
    if (!isRunning) return 0;
    const past = this.#schedule.jumps.filter((jump) => jump.worker === worker && jump.atMs <= this.time.nowMs);
    return past.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  #launch({ argv }: EnclosedCommand, children: Set<() => void>) {
    const jobId = argv[1] ?? "";
    const { takesMs, obeys } = this.#next(this.#schedule.runs, this.runs++);
    const ended = Promise.withResolvers<RunEnd>();
    const id = Symbol(jobId);
    const live = this.#live.get(jobId) ?? new Set<symbol>();
    this.#live.set(jobId, live.add(id));
    if (live.size > 1) this.#wrong.push(`two models of ${jobId} live at ${this.time.nowMs} ms`);
    const entry = { jobId, fromMs: this.time.nowMs, toMs: Number.POSITIVE_INFINITY, why: "" };
    this.ran.push(entry);
    const die = (end: RunEnd): void => {
      if (!live.delete(id)) return;
      entry.toMs = this.time.nowMs;
      entry.why = end.state === "stopped" ? end.why : end.state;
      children.delete(kill);
      ended.resolve(end);
    };
    const kill = (): void => die({ state: "stopped", why: "killed", by: "killed" });
    children.add(kill);
    void this.time.pause(takesMs, takesMs).then(() => die({ state: "ended", exit_code: 0, signal: null }));
    const stop = (why: string, graceMs = 10_000): void => {
      const leftMs = obeys ? Math.min(graceMs, 100) : graceMs;
      void this.time.pause(leftMs, leftMs).then(() => die({ state: "stopped", why, by: obeys ? "asked" : "killed" }));
    };
    return { ended: ended.promise, stop };
  }

  /** The store as a worker reaches it: late, not at all, or without its answer. */
  #reached(killed: AbortSignal): JobStore {
    const reach = async <T>(call: () => Promise<T>): Promise<T> => {
      const { beforeMs, afterMs, fate } = this.#next(this.#schedule.weather, this.calls++);
      await this.time.pause(beforeMs, beforeMs);
      if (killed.aborted) return NEVER;
      if (fate === "refused") throw new JobError("REMOTE_UNAVAILABLE", "the remote cannot be reached");
      const answer = await call();
      await this.time.pause(afterMs, afterMs);
      if (killed.aborted) return NEVER;
      if (fate === "answer_lost") throw new JobError("REMOTE_UNAVAILABLE", "the answer was lost");
      return answer;
    };
    return {
      kind: "git",
      scan: () => reach(() => this.#store.scan()),
      read: (jobId) => reach(() => this.#store.read(jobId)),
      transact: <Answer>(jobIds: readonly string[], step: StepFunction<Answer>) =>
        reach(() => this.#store.transact(jobIds, step)),
    };
  }

  /** The last entry of a list goes on for ever. */
  #next<T>(list: readonly T[], at: number): T {
    const item = list[Math.min(at, list.length - 1)];
    if (item === undefined) throw new Error("a schedule says at least one thing");
    return item;
  }
}

/** What becomes of a call whose caller was killed. */
const NEVER = new Promise<never>(() => undefined);
