import type { SdkMessage, SdkRunResult, SdkUsage } from "./sdk.ts";

/** What the runs of one agent used, as the SDK reports it. What it does not report is absent, never 0. */
export class TokenCount {
  /** Of the runs that are over. */
  #before: number | undefined;
  /** Of the run that goes on. */
  #streamed: number | undefined;

  read({ type, usage }: SdkMessage): void {
    if (type === "usage" && usage !== undefined) this.#streamed = sum(this.#streamed, counted(usage));
  }

  /** A run is over. Its result tells the whole; a run that was stopped may have told a part in its stream alone. */
  end(result: Pick<SdkRunResult, "usage"> | undefined): void {
    const whole = result?.usage === undefined ? this.#streamed : Math.max(counted(result.usage), this.#streamed ?? 0);
    this.#before = sum(this.#before, whole);
    this.#streamed = undefined;
  }

  total(): number | undefined {
    return sum(this.#before, this.#streamed);
  }
}

/** As a budget counts them: what was read from the cache is not (contract §11). */
function counted({ inputTokens, outputTokens, cacheWriteTokens }: SdkUsage): number {
  return [inputTokens, outputTokens, cacheWriteTokens].reduce((all, one) => all + (Number.isFinite(one) ? one : 0), 0);
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
