import { describe, expect, test } from 'vitest';
import {
  adjustmentText,
  amountsOfCompletion,
  completionText,
  keptText,
  totalAfter,
} from '../../src/console/screens/users/effectText.ts';
import type { PointsTriggerResponse } from '../../src/contract/points.ts';

/** What the console says that a correction will do. */
const levels = [
  { name: 'Silver', points: 50 },
  { name: 'Gold', points: 100 },
];
const at = (total: number, maxPoints: number | null = null) => ({ name: 'XP', total, maxPoints, levels });

test.each([
  { total: 20, max: null, amount: -50, after: 0 },
  { total: 20, max: null, amount: 5_000, after: 5_020 },
  { total: 90, max: 100, amount: 10, after: 100 },
  { total: 90, max: 100, amount: 11, after: 100 },
  { total: 150, max: 100, amount: 10, after: 150 },
  { total: 150, max: 100, amount: -10, after: 140 },
  { total: 150, max: 100, amount: -60, after: 90 },
])('$total and $amount are $after if the maximum is $max', ({ total, max, amount, after }) => {
  expect(totalAfter(total, max, amount)).toBe(after);
});

describe('an adjustment says the totals, the levels and the way back', () => {
  test.each([
    [at(120), -50, 'Ada goes from 120 to 70 XP and falls from Gold to Silver. To reverse it, adjust by 50.'],
    [at(70), 30, 'Ada goes from 70 to 100 XP and rises from Silver to Gold. To reverse it, adjust by -30.'],
    [at(70), 1, 'Ada goes from 70 to 71 XP and stays at Silver. To reverse it, adjust by -1.'],
    [at(0), 50, 'Ada goes from 0 to 50 XP and reaches Silver. To reverse it, adjust by -50.'],
    [at(1), 2, 'Ada goes from 1 to 3 XP. To reverse it, adjust by -2.'],
    [
      at(60),
      -70,
      'Ada goes from 60 to 0 XP and loses Silver. The total does not fall below 0. To reverse it, adjust by 60.',
    ],
    [
      at(90, 95),
      10,
      'Ada goes from 90 to 95 XP and stays at Silver. The maximum is 95. To reverse it, adjust by -5.',
    ],
    [at(95, 95), 10, 'Ada stays at 95 XP. The maximum is 95.'],
    [at(0), -1, 'Ada stays at 0 XP. The total does not fall below 0.'],
  ])('%o and %i', (standing, amount, text) => {
    expect(adjustmentText('Ada', standing, amount)).toBe(text);
  });
});

const trigger = (fields: Partial<PointsTriggerResponse>): PointsTriggerResponse => ({
  id: 'one',
  type: 'achievement',
  points: 50,
  status: 'active',
  achievementId: 'ten',
  userAttributes: [],
  created: '2026-03-04T12:00:00Z',
  updated: '2026-03-04T12:00:00Z',
  ...fields,
});

test('a completion awards the points of active triggers for this achievement and user', () => {
  const triggers = [
    trigger({}),
    trigger({ points: 5, userAttributes: [{ key: 'plan', value: 'pro' }] }),
    trigger({ points: 7, userAttributes: [{ key: 'plan', value: 'free' }] }),
    trigger({ points: 9, status: 'inactive' }),
    trigger({ points: 11, achievementId: 'other' }),
  ];
  expect(amountsOfCompletion(triggers, 'ten', { plan: 'pro' })).toEqual([50, 5]);
});

test('a completion says the points of its triggers and the new total, unless boosts change them', () => {
  expect(completionText('Ada', at(0), [50], false)).toBe(
    'Its points trigger gives 50 XP. Ada goes from 0 to 50 XP and reaches Silver.',
  );
  expect(completionText('Ada', at(0), [50, 5], true)).toBe(
    'Its 2 points triggers together give 55 XP before boosts.',
  );
  expect(completionText('Ada', at(10), [-4], false)).toBe(
    'Its points trigger takes 4 XP. Ada goes from 10 to 6 XP.',
  );
});

test('a revocation says which points stay', () => {
  const award = (awarded: number) => ({ awarded, trigger: trigger({}) });
  const kept = (...awards: object[]) => keptText({ name: 'XP', awards }, 'ten');
  expect(kept(award(50), award(20), { awarded: 3 })).toBe('The 70 XP that it awarded are kept.');
  expect(kept(award(-50))).toBe('The 50 XP that it took are not returned.');
  expect(kept({ awarded: 3 })).toBe(null);
});
