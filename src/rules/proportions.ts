/** Comparing how many of two groups did something, and how large the groups are. */

/** Fewest that must be expected on each side for the chi-squared test. */
const EXPECTED_MIN = 5;

export interface Proportion {
  of: number;
  count: number;
}

export interface DifferenceInterval {
  difference: number;
  low: number;
  high: number;
}

/** How the interval of a difference is made. */
export const DIFFERENCE_METHOD =
  'Difference of two independent proportions with the hybrid score interval of Newcombe (1998), method 10';

/**
 * Two-sided quantile of the normal distribution: about `confidence` of it lies between −z and z. Abramowitz
 * and Stegun 26.2.23, then two steps of Newton with the error function of 7.1.26: exact to six digits.
 */
export function normalQuantile(confidence: number): number {
  const tail = (1 - confidence) / 2;
  const t = Math.sqrt(-2 * Math.log(tail));
  let z =
    t -
    (2.515517 + 0.802853 * t + 0.010328 * t * t) /
      (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  for (let step = 0; step < 2; step++) {
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    z += (upperTail(z) - tail) / density;
  }
  return z;
}

function upperTail(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return (series * Math.exp(-x * x)) / 2;
}

/** The score interval of one proportion (Wilson, 1927). */
export function wilsonInterval({ of, count }: Proportion, z: number): { low: number; high: number } {
  const rate = count / of;
  const middle = rate + (z * z) / (2 * of);
  const half = z * Math.sqrt((rate * (1 - rate)) / of + (z * z) / (4 * of * of));
  const whole = 1 + (z * z) / of;
  return { low: (middle - half) / whole, high: (middle + half) / whole };
}

/**
 * The difference a − b of two proportions with its interval: R. G. Newcombe, Interval estimation for the
 * difference between independent proportions, Statistics in Medicine 17 (1998), 873–890, method 10. null
 * while one of the groups is empty.
 * @param confidence 0 to 1
 */
export function compareProportions(
  a: Proportion,
  b: Proportion,
  confidence: number,
): DifferenceInterval | null {
  if (a.of === 0 || b.of === 0) return null;
  const z = normalQuantile(confidence);
  const [rateA, rateB] = [a.count / a.of, b.count / b.of];
  const [wilsonA, wilsonB] = [wilsonInterval(a, z), wilsonInterval(b, z)];
  const difference = rateA - rateB;
  return {
    difference,
    low: difference - Math.hypot(rateA - wilsonA.low, wilsonB.high - rateB),
    high: difference + Math.hypot(wilsonA.high - rateA, rateB - wilsonB.low),
  };
}

/** How often a difference is found that is there. */
const POWER = 0.8;

/**
 * Number of users of both groups together that it takes to find a difference four times in five: S.-C. Chow,
 * J. Shao and H. Wang, Sample Size Calculations in Clinical Research (2nd edition, 2008), 4.2.1.
 * @param rate of the control group
 * @param controlShare of all users, between 0 and 1
 */
export function usersToFind(
  difference: number,
  { rate, controlShare, confidence }: { rate: number; controlShare: number; confidence: number },
): number {
  const other = rate + difference <= 1 ? rate + difference : rate - difference;
  const z = normalQuantile(confidence) + normalQuantile(2 * POWER - 1);
  const variance = (other * (1 - other)) / (1 - controlShare) + (rate * (1 - rate)) / controlShare;
  return Math.ceil((z * z * variance) / (difference * difference));
}

/**
 * How likely a count at least this far from its expectation is by chance: Pearson's chi-squared test with one
 * degree of freedom. null if fewer than five are expected on one of the sides, where the test does not hold.
 * @param share expected share, 0 to 1
 */
export function shareProbability({ of, count }: Proportion, share: number): number | null {
  const expected = of * share;
  if (Math.min(expected, of - expected) < EXPECTED_MIN) return null;
  return Math.min(1, 2 * upperTail(Math.abs(count - expected) / Math.sqrt(expected * (1 - share))));
}
