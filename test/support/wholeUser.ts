import { dayFromStart } from './testTime.ts';

/** Leaderboards of one metric, with a run each day, and by city. */
export const BOARDS = [
  { key: 'daily', name: 'Daily', rankBy: 'metric', metric: 'lessons', runUnit: 'day', runInterval: 1 },
  { key: 'cities', name: 'Cities', rankBy: 'metric', metric: 'lessons', breakdownAttributes: ['city'] },
];

/** Makes users have something of everything that is held of a user. */
export const wholeUserConfig = (boards: object[] = BOARDS): object => ({
  attributes: { user: [{ key: 'city', name: 'City' }], event: [{ key: 'device', name: 'Device' }] },
  metrics: [
    { key: 'lessons', name: 'Lessons' },
    { key: 'minutes', name: 'Minutes' },
  ],
  streak: {
    enabled: true,
    metrics: [{ key: 'lessons', threshold: 1 }],
    freezes: { startCount: 0, maxCount: 2 },
  },
  achievements: [{ key: 'two', name: 'Two', trigger: 'metric', metric: 'lessons', metricValue: 2 }],
  points: [
    {
      key: 'xp',
      name: 'XP',
      triggers: [{ type: 'metric', metric: 'lessons', metricThreshold: 1, points: 10 }],
    },
  ],
  leaderboards: boards.map((board) => ({ ...board, start: dayFromStart(-5) })),
});
