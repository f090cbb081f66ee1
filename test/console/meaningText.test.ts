import { expect, test } from 'vitest';
import { meaningOf } from '../../src/console/screens/configuration/meaningText.ts';
import type { FormName } from '../../src/contract/configured/formSchemas.ts';

/** What forms of the console say that an item means. */
const nameOf = (id: unknown) => ({ m: 'Lessons', p: 'Coins', a: 'First', b: 'Ten' })[String(id)];

test.each<[FormName, object, string | null]>([
  [
    'achievements',
    { trigger: 'metric', metricId: 'm', metricValue: 10 },
    'Completes when a user reaches 10 of “Lessons”.',
  ],
  ['achievements', { trigger: 'metric', metricId: 'm' }, null],
  ['achievements', { trigger: 'streak', streakLength: 1 }, 'Completes when a user has a streak of 1 period.'],
  [
    'achievements',
    { trigger: 'achievement', achievementIds: ['a', 'b'] },
    'Completes when a user has completed “First” and “Ten”.',
  ],
  [
    'achievements',
    { trigger: 'anniversary', anniversaryYears: 2, userAttributes: [{ attributeId: 'x' }] },
    'Completes 2 years after a matching user signed up.',
  ],
  [
    'triggers',
    { type: 'metric', points: -5, metricId: 'm', metricThreshold: 3 },
    'Takes 5 points for every 3 of “Lessons”.',
  ],
  [
    'triggers',
    { type: 'time', points: 1, timeInterval: 2, timeUnit: 'hours' },
    'Gives 1 point every 2 hours, regardless of activity.',
  ],
  ['triggers', { type: 'user_creation', points: 0 }, null],
  [
    'leaderboards',
    { rankBy: 'points', pointsSystemId: 'p', runUnit: 'week', runInterval: 1 },
    'Ranks users by “Coins”, highest first. It resets every week.',
  ],
  [
    'leaderboards',
    { rankBy: 'metric', metricId: 'm', aggregation: 'best', sortOrder: 'asc', ties: 'shared' },
    'Ranks users by the best event of “Lessons”, lowest first. Equal scores share a rank. It never resets.',
  ],
  ['boosts', { multiplier: 2, start: '2026-06-01' }, 'Multiplies awarded points by 2, from Jun 1, 2026 on.'],
  ['metrics', { name: 'Lessons' }, null],
  [
    'metrics',
    { guards: { maxValue: 10, cooldownSeconds: 20, limits: [{ per: 'day', events: 3 }], action: 'hold' } },
    'An event above 10, within 20 seconds of the last one, or after 3 events in one day waits for a review.',
  ],
  [
    'streak',
    {
      frequency: 'weekly',
      evaluationMode: 'OR',
      metrics: [
        { key: 'lessons', threshold: 2 },
        { key: 'minutes', threshold: 30 },
      ],
      freezes: { startCount: 1, maxCount: 3, autoEarnInterval: 7, autoEarnAmount: 1 },
    },
    'A streak grows with each week in which a user reaches 2 of “lessons” or 30 of “minutes”. ' +
      'A new user has 1 freeze, gets 1 more every 7 days, and has at most 3.',
  ],
  ['streak', { frequency: 'daily', metrics: [] }, null],
  ['levels', { name: 'Bronze', points: 50 }, 'Users are at this level from 50 points on.'],
])('%s %j means %j', (form, value, meaning) => {
  expect(meaningOf(form, value as Record<string, unknown>, nameOf)).toBe(meaning);
});
