import { achievement, DAILY, item, items, metricBoard, xpBoard } from './items.ts';

/** Metrics, one of which refuses, one holds, one reduces and one takes points. */
export const CONFIG = {
  attributes: { event: items('terrain') },
  metrics: [
    item('km', { guards: { maxValue: 100, action: 'clamp' } }),
    item('minutes', { guards: { maxValue: 300 } }),
    item('runs'),
    item('steps', { guards: { maxValue: 10, action: 'hold' } }),
    item('swims'),
  ],
  streak: {
    enabled: true,
    evaluationMode: 'AND',
    metrics: [
      { key: 'km', threshold: 5 },
      { key: 'minutes', threshold: 30 },
    ],
  },
  achievements: [
    achievement('far', 15, { metric: 'km' }),
    achievement('trail', 20, { metric: 'km', eventAttributes: { terrain: 'trail' } }),
    achievement('often', 2, { metric: 'runs' }),
    item('both', { trigger: 'achievement', achievements: ['far', 'often'] }),
    item('streak', { trigger: 'streak', streakLength: 1 }),
  ],
  points: [
    {
      ...item('xp'),
      triggers: [
        { type: 'metric', metric: 'km', metricThreshold: 1, points: 1 },
        { type: 'metric', metric: 'minutes', metricThreshold: 10, points: 2 },
        { type: 'achievement', achievement: 'both', points: 100 },
        { type: 'streak', streakLength: 1, points: 7 },
      ],
    },
    {
      ...item('energy'),
      triggers: [
        { type: 'metric', metric: 'km', metricThreshold: 10, points: 10 },
        { type: 'metric', metric: 'swims', metricThreshold: 1, points: -10, blockIfOutOfPoints: true },
      ],
    },
  ],
  leaderboards: [
    metricBoard('km', { ...DAILY, metric: 'km' }),
    metricBoard('longest', { ...DAILY, metric: 'minutes', aggregation: 'best' }),
    metricBoard('latest', { ...DAILY, metric: 'minutes', aggregation: 'latest' }),
    xpBoard('xp'),
  ],
};

export const ATTRIBUTES = { terrain: 'trail' };

/** Fields that differ between two users who have done the same. */
const DIFFERENT = new Set(['eventId', 'id', 'rank', 'previousRank', 'threshold', 'userId', 'name']);
const INSTANT = /^\d{4}-\d\d-\d\dT/;

/** An answer without what differs between two users who have done the same. */
export function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value === 'string' && INSTANT.test(value)) return 'an instant';
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !DIFFERENT.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutIds(field)]));
}
