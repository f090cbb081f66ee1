/**
 * The value that a share of the values does not exceed: nearest rank, always one of the values.
 * @param sorted values, smallest first
 * @param share from 0 to 1
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) throw new Error('no values');
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}
