/** The median result in the order of `by`. */
export function median<T>(results: readonly T[], by: (result: T) => number): T {
  const sorted = results.toSorted((a, b) => by(a) - by(b));
  return sorted[Math.floor(sorted.length / 2)]!;
}
