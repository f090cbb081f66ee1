import { decimalSum, withoutNoise } from '../base/numbers.ts';

/**
 * What separates each user of a ranking from the next better rank, in the order of the ranking. Users at the
 * best rank have none. A gap of 0 is between equal values that rank by arrival.
 * @param ranking the best first
 */
export function gapsOf(ranking: readonly { rank: number; value: number }[]): number[] {
  const gaps: number[] = [];
  let better: number | null = null;
  ranking.forEach(({ rank, value }, i) => {
    const before = ranking[i - 1];
    if (before !== undefined && before.rank !== rank) better = before.value;
    if (better !== null) gaps.push(Math.abs(decimalSum(value, -better)));
  });
  return gaps;
}

/** The mean of the two in the middle if the number of values is even; null without values. */
export function medianOf(values: readonly number[]): number | null {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = ascending.length / 2;
  const [low, high] = [ascending[Math.ceil(middle) - 1], ascending[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : withoutNoise((low + high) / 2);
}
