export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? Number.NaN) + (sorted[sorted.length >> 1] ?? Number.NaN)) / 2;
}
