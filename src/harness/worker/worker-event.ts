/** What a worker tells of itself: a line each on a terminal, a JSON line each elsewhere. */
export type WorkerEvent =
  | {
      readonly event: "started";
      readonly harness: string;
      readonly worker_id: string;
      readonly enclosure: string;
      readonly message: string;
    }
  | { readonly event: "held"; readonly state: string; readonly message: string }
  | { readonly event: "claimed"; readonly job_id: string; readonly attempt_id: string; readonly objective: string }
  | {
      readonly event: "ended";
      readonly job_id: string;
      readonly attempt_id: string;
      /** What the store answered: CHECKPOINT, DONE, FAILED, or why it took nothing. */
      readonly state: string;
      readonly ok: boolean;
      readonly message?: string;
      readonly tokens_used?: number;
      readonly cost_usd?: number;
      readonly log_file?: string;
    }
  /** The outcome could not be told to the store; it is kept, and told by the next worker. */
  | { readonly event: "kept"; readonly job_id: string; readonly attempt_id: string; readonly message: string }
  | { readonly event: "note"; readonly attempt_id?: string; readonly message: string }
  | { readonly event: "stopping"; readonly message: string };
