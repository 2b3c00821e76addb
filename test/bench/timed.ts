/** How long it takes, in milliseconds. */
export async function timed(act: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
