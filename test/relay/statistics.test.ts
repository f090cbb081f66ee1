import { describe, expect, test } from 'vitest';
import { activeWeeks, countActive, isFirstOf, windowsGained } from '../../src/rules/activeDays.ts';
import {
  compareProportions,
  normalQuantile,
  usersToFind,
  wilsonInterval,
} from '../../src/rules/proportions.ts';
import { stepOf } from '../../src/rules/steps.ts';
import { survivalCurve } from '../../src/rules/survival.ts';

describe('proportions', () => {
  test.each([
    [0.9, 1.644854],
    [0.95, 1.959964],
    [0.99, 2.575829],
  ])('the quantile of %d', (confidence, z) => {
    expect(normalQuantile(confidence)).toBeCloseTo(z, 4);
  });

  // The first row is the example of Chow, Shao and Wang (2008), 4.2.4: 70 users in each group.
  test.each([
    [0.2, 0.65, 0.5, 140],
    [0.2, 0.65, 0.1, 475],
    [0.2, 0.9, 0.5, 118],
  ])(
    'the users that it takes to find a difference of %d from %d',
    (difference, rate, controlShare, users) => {
      expect(usersToFind(difference, { rate, controlShare, confidence: 0.95 })).toBe(users);
    },
  );

  // Table I of Newcombe, Two-sided confidence intervals for the single proportion (1998), method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('the interval of %d of %d', (count, of, low, high) => {
    const interval = wilsonInterval({ count, of }, normalQuantile(0.95));
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  // Table II of Newcombe, Interval estimation for the difference between independent proportions (1998),
  // method 10.
  test.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
  ])('the difference of %d of %d and %d of %d', (a, ofA, b, ofB, low, high) => {
    const interval = compareProportions({ count: a, of: ofA }, { count: b, of: ofB }, 0.95)!;
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test('of nobody cannot be compared', () => {
    expect(compareProportions({ count: 0, of: 0 }, { count: 1, of: 2 }, 0.95)).toBeNull();
  });
});

test('a survival curve counts what goes on up to its length', () => {
  const curve = survivalCurve([
    { length: 2, ended: 1, ongoing: 1 },
    { length: 1, ended: 2, ongoing: 0 },
    { length: 5, ended: 2, ongoing: 2 },
  ]);
  expect(curve).toEqual([
    { length: 1, atRisk: 8, lost: 2, rate: 0.75 },
    { length: 2, atRisk: 6, lost: 1, rate: 0.75 * (5 / 6) },
    { length: 5, atRisk: 4, lost: 2, rate: 0.75 * (5 / 6) * 0.5 },
  ]);
  expect(survivalCurve([])).toEqual([]);
});

test.each([
  [0, 0],
  [0.9, 0],
  [4, 3],
  [364, 180],
  [9_999, 365],
])('%d belongs to step %d', (value, step) => {
  expect(stepOf(value)).toBe(step);
});

describe('active days', () => {
  // Day 4 is a Monday, day 31 the first of February 1970.
  const days = { firstDay: 4, bits: '1000001000000000000000000001' };

  test('tell the first day of a week and of a month', () => {
    expect(isFirstOf(days, 4)).toEqual({ week: false, month: false });
    expect(isFirstOf({ firstDay: 4, bits: '1' }, 4)).toEqual({ week: true, month: true });
    expect(isFirstOf(days, 31)).toEqual({ week: true, month: true });
  });

  test('tell which windows a day adds', () => {
    expect(windowsGained(days, 10, 7)).toEqual({ start: 11, end: 17 });
    expect(windowsGained(days, 4, 7)).toEqual({ start: 4, end: 10 });
    expect(windowsGained({ firstDay: 1, bits: '111' }, 2, 7)).toBeNull();
    expect(windowsGained({ firstDay: 1, bits: '1000000000101' }, 5, 7)).toEqual({ start: 8, end: 11 });
  });

  test('are counted by week and in a range', () => {
    expect(activeWeeks(days)).toEqual([1, 4]);
    expect([countActive(days, 4, 31), countActive(days, 5, 9), countActive(days, 0, 10)]).toEqual([3, 0, 2]);
  });
});
