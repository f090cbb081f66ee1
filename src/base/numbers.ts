/** A sum of decimals as a decimal: without the last binary digits, which depend on what was added first. */
export function withoutNoise(sum: number): number {
  return Number(sum.toPrecision(15));
}

/** A share as a percentage with two decimals. */
export function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 100;
}
