import type { Clock } from "../facts/clock.ts";

/** Asks at most once in this many milliseconds; callers in between get the same answer. A failure is asked again at once. */
export function remembered<T>(ms: number, clock: Pick<Clock, "monotonic">, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (answer !== undefined && clock.monotonic() - askedAt < ms) return answer;
    askedAt = clock.monotonic();
    const asked = ask();
    answer = asked;
    asked.catch(() => {
      if (answer === asked) answer = undefined;
    });
    return asked;
  };
}
