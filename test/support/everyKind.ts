import { dayFromStart } from './testTime.ts';

/** A configuration file with every kind of entity that events change. */
export const EVERY_KIND = {
  attributes: { user: [{ key: 'city', name: 'City' }], event: [{ key: 'device', name: 'Device' }] },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: {
    enabled: true,
    metrics: [{ key: 'lessons', threshold: 1 }],
    customizationEnabled: true,
    freezes: { startCount: 1, maxCount: 2 },
  },
  achievements: [
    { key: 'two', name: 'Two', trigger: 'metric', metric: 'lessons', metricValue: 2 },
    { key: 'profile', name: 'Profile', trigger: 'api' },
  ],
  points: [
    {
      key: 'xp',
      name: 'XP',
      levels: [{ key: 'bronze', name: 'Bronze', points: 50 }],
      triggers: [{ type: 'metric', metric: 'lessons', metricThreshold: 1, points: 10 }],
      boosts: [{ name: 'Double', start: dayFromStart(-30), multiplier: 2 }],
    },
  ],
  leaderboards: [
    {
      key: 'weekly',
      name: 'Weekly',
      rankBy: 'metric',
      metric: 'lessons',
      start: '2026-01-01',
      runUnit: 'day',
      runInterval: 7,
    },
    { key: 'ever', name: 'Ever', rankBy: 'points', points: 'xp', start: '2026-01-01' },
  ],
};
