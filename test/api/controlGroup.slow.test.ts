import { describe, expect, test } from 'vitest';
import { isInControlGroup } from '../../src/rules/inForce/prepare.ts';
import { shareProbability } from '../../src/rules/proportions.ts';

/** Membership in the control group does not depend on the order of ids, the tenant or the time. */

const WINDOW = 500;
const IDS: [string, (i: number) => string][] = [
  ['numbers', (i) => String(i)],
  ['padded numbers', (i) => `user-${String(i).padStart(8, '0')}`],
  ['numbers with a common end', (i) => `${i}@example.com`],
  ['instants', (i) => String(1_767_225_600_000 + i * 1000)],
];

const assign = (tenant: number, id: (i: number) => string, share: number, count: number): boolean[] =>
  Array.from({ length: count }, (_, i) => isInControlGroup(tenant, id(i), share * 100));
const sizeOf = (members: boolean[]): number => members.filter(Boolean).length;

describe('the control group', () => {
  test.each(IDS)('has its share in every window of consecutive ids: %s', (_, id) => {
    for (const share of [0.01, 0.1, 0.5, 0.9]) {
      const members = assign(1, id, share, 10_000);
      const deviation = Math.sqrt(WINDOW * share * (1 - share));
      let inWindow = sizeOf(members.slice(0, WINDOW));
      for (let end = WINDOW; end < members.length; end++) {
        // Of 38,000 windows, one in 10^7 is further away by chance; small shares have a longer tail.
        expect(Math.abs(inWindow - WINDOW * share)).toBeLessThan(5.5 * deviation + 2);
        inWindow += Number(members[end]) - Number(members[end - WINDOW]);
      }
      expect(shareProbability({ of: members.length, count: sizeOf(members) }, share)).toBeGreaterThan(1e-4);
    }
  });

  test.each(IDS)('of one tenant tells nothing about that of another: %s', (_, id) => {
    const [one, other] = [assign(1, id, 0.5, 10_000), assign(2, id, 0.5, 10_000)];
    const same = one.filter((isMember, i) => isMember === other[i]).length;
    expect(shareProbability({ of: 10_000, count: same }, 0.5)).toBeGreaterThan(1e-4);
  });

  test('grows with the share and loses nobody', () => {
    const small = assign(1, String, 0.1, 2_000);
    const large = assign(1, String, 0.3, 2_000);
    expect(small.filter((isMember, i) => isMember && !large[i])).toEqual([]);
    expect([sizeOf(assign(1, String, 0, 500)), sizeOf(assign(1, String, 1, 500))]).toEqual([0, 500]);
  });
});

describe('the probability of a share', () => {
  // Values of the chi-squared distribution with one degree of freedom: 3.841 is exceeded with 0.05, 10.828
  // with 0.001.
  test.each([
    [1000, 500, 0.5, 1],
    [1000, 531, 0.5, 0.04991],
    [1000, 552, 0.5, 0.00101],
    [1000, 553, 0.5, 0.0008],
    [10_000, 1_100, 0.1, 0.00086],
  ])('%d users, %d of them in the group of %d', (of, count, share, probability) => {
    expect(shareProbability({ of, count }, share)).toBeCloseTo(probability, 4);
  });

  test('is unknown if fewer than five users are expected on a side', () => {
    expect(shareProbability({ of: 49, count: 20 }, 0.1)).toBeNull();
    expect(shareProbability({ of: 49, count: 20 }, 0.9)).toBeNull();
    expect(shareProbability({ of: 0, count: 0 }, 0.5)).toBeNull();
  });
});
