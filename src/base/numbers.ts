const DECIMALS_MAX = 30;

/** The sum of two decimals, by the rule of lua/includes/decimalSum.lua. */
export function decimalSum(a: number, b: number): number {
  const sum = a + b;
  if (Number.isInteger(sum)) return sum;
  const decimals = 14 - Math.floor(Math.log10(Math.max(Math.abs(a), Math.abs(b))));
  return Number(sum.toFixed(Math.max(0, Math.min(decimals, DECIMALS_MAX))));
}

/** Rounds a fraction to 15 significant digits; a whole number stays. */
export function withoutNoise(sum: number): number {
  return Number.isInteger(sum) ? sum : Number(sum.toPrecision(15));
}

/** A share as a percentage with two decimals. */
export function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 100;
}
