import { expect, test } from 'vitest';
import { needText, rankText } from '../../src/console/screens/users/placeText.ts';
import { formatDate } from '../../src/console/text/format.ts';

/** What a user needs to reach rank 10, at which somebody has 6. */
const metric = { rankBy: 'metric', maxParticipants: 100 } as const;
const own = { rank: 12, value: 4 };

test.each([
  [{ ...metric }, own, 'more than 2 more: a score above 6'],
  [{ ...metric, ties: 'shared' } as const, own, '2 more: a score of 6 or more'],
  [{ ...metric }, { rank: null, value: null }, 'more than 6 more: a score above 6'],
  [{ ...metric, aggregation: 'best' } as const, own, 'a value above 6'],
  [
    { ...metric, aggregation: 'latest', sortOrder: 'asc' } as const,
    { rank: 12, value: 9 },
    'a value below 6',
  ],
  [
    { ...metric, aggregation: 'best', sortOrder: 'asc', ties: 'shared' } as const,
    { rank: 12, value: 9 },
    'a value of 6 or less',
  ],
  [{ ...metric, rankBy: 'streak' } as const, own, 'a streak above 6'],
  [{ ...metric, rankBy: 'points' } as const, { rank: 10, value: 6 }, 'reached'],
])('%j with %j: %s', (scoring, place, text) => {
  expect(needText(scoring, { rank: 10, score: 6, own: place })).toBe(text);
});

test('a rank that nobody has is free', () => {
  expect(needText(metric, { rank: 10, score: null, own: { rank: null, value: null } })).toBe(
    'any score: the rank is free',
  );
});

test('a rank beyond the last one of the leaderboard is not free', () => {
  const own = { rank: null, value: null };
  const board = { ...metric, maxParticipants: 5 };
  expect(needText(board, { rank: 6, score: null, own })).toBe('does not exist: the last rank is 5');
  expect(needText(board, { rank: 5, score: null, own })).toBe('any score: the rank is free');
});

test('a rank is explained by score, days, group and order', () => {
  const board: Parameters<typeof rankText>[0] = {
    ...{ rankBy: 'metric', metricName: 'Lessons', breakdownAttributes: ['city'] },
    ...{ start: '2026-11-16', end: '2026-11-22', runUnit: 'day' },
  };
  expect(rankText(board)).toBe(
    `The score is the sum of Lessons. It counts from ${formatDate(board.start)} to ${formatDate(board.end)}. Users with the same city are ranked together. Equal scores rank by who had theirs first.`,
  );
  const points = { ...board, rankBy: 'points', pointsSystemName: 'XP', ties: 'shared' } as const;
  expect(rankText({ ...points, end: null, runUnit: null, breakdownAttributes: [] })).toBe(
    'The score is the XP that the user gained. Equal scores share a rank.',
  );
});
