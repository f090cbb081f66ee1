/** Rounds a sum of decimals to 15 digits, so that it does not depend on the order of addition. */
export function withoutNoise(sum: number): number {
  return Number(sum.toPrecision(15));
}

/** A share as a percentage with two decimals. */
export function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 100;
}
