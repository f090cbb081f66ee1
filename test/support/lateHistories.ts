import type { ConfigFile } from '../../src/contract/configFile.ts';
import type { Random } from './random.ts';

/** Random histories of users, and how late their events arrive. */

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const ZONES = ['UTC', 'Asia/Kolkata', 'America/Los_Angeles'];
const METRICS = ['lessons', 'minutes'];

export interface HistoricEvent {
  user: number;
  tz: string;
  metric: string;
  value: number;
  attributes: Record<string, string>;
  /** When it happens and when it arrives, ms. */
  at: number;
  arrivesAt: number;
}

/** Everything whose result does not depend on the order of arrival. */
export function lateConfig(random: Random, start: string): ConfigFile {
  const frequency = random.weighted([
    [5, 'daily'],
    [2, 'weekly'],
    [1, 'monthly'],
  ] as const);
  const isTwo = random.chance(0.5);
  const maxFreezes = random.int(0, 3);
  return {
    attributes: { event: [{ key: 'device', name: 'Device' }] },
    metrics: METRICS.map((key) => ({ key, name: key })),
    settings: { lateEvents: { maxAgeSeconds: 9 * 86_400 } },
    streak: {
      enabled: true,
      frequency,
      evaluationMode: random.pick(['AND', 'OR']),
      metrics: METRICS.slice(0, isTwo ? 2 : 1).map((key) => ({ key, threshold: random.int(1, 3) })),
      ...(frequency === 'daily' && random.chance(0.4) && { daysOff: [0, 6] }),
      ...(maxFreezes > 0 && { freezes: { startCount: random.int(0, maxFreezes), maxCount: maxFreezes } }),
    },
    achievements: [
      ...[5, 15].map((metricValue) => ({
        key: `lessons-${metricValue}`,
        name: 'Lessons',
        trigger: 'metric' as const,
        metric: 'lessons',
        metricValue,
      })),
      ...[2, 3, 6].map((streakLength) => ({
        key: `streak-${streakLength}`,
        name: 'Streak',
        trigger: 'streak' as const,
        streakLength,
      })),
      { key: 'all', name: 'All', trigger: 'achievement', achievements: ['lessons-5', 'streak-2'] },
    ],
    points: [
      {
        key: 'units',
        name: 'Units',
        triggers: [{ type: 'metric', metric: 'lessons', metricThreshold: 1, points: 2 }],
        boosts: [{ name: 'Double', start: dayAfter(start, 4), end: dayAfter(start, 8), multiplier: 2 }],
      },
      {
        key: 'steps',
        name: 'Steps',
        triggers: [
          { type: 'metric', metric: 'minutes', metricThreshold: 4, points: 7 },
          { type: 'streak', streakLength: random.int(1, 3), points: 11 },
          { type: 'achievement', achievement: 'streak-3', points: 100 },
          { type: 'achievement', achievement: 'all', points: 1_000 },
        ],
      },
    ],
    leaderboards: [
      { key: 'total', name: 'Total', rankBy: 'metric', metric: 'lessons' },
      { key: 'weekly', name: 'Weekly', rankBy: 'metric', metric: 'lessons', runUnit: 'day', runInterval: 7 },
      { key: 'days', name: 'Days', rankBy: 'points', points: 'units', runUnit: 'day', runInterval: 2 },
      { key: 'streak', name: 'Streak', rankBy: 'streak' },
      {
        key: 'best',
        name: 'Best',
        rankBy: 'metric',
        metric: 'minutes',
        aggregation: 'best',
        runUnit: 'day',
        runInterval: 5,
      },
      {
        key: 'latest',
        name: 'Latest',
        rankBy: 'metric',
        metric: 'minutes',
        aggregation: 'latest',
        runUnit: 'day',
        runInterval: 5,
      },
      {
        key: 'phones',
        name: 'Phones',
        rankBy: 'metric',
        metric: 'lessons',
        eventAttributes: { device: 'phone' },
        runUnit: 'month',
        runInterval: 1,
      },
    ].map((board) => ({ start: dayAfter(start, -1), ...board })) as NonNullable<ConfigFile['leaderboards']>,
  };
}

const dayAfter = (start: string, days: number): string =>
  new Date(Date.parse(start) + days * DAY_MS).toISOString().slice(0, 10);

/** Each user has events over some weeks, with gaps; half of the events arrive up to nine days late. */
export function randomHistories(random: Random, start: string, users: number): HistoricEvent[] {
  const events: HistoricEvent[] = [];
  for (let user = 0; user < users; user++) {
    const tz = random.pick(ZONES);
    const lateShare = random.pick([0.2, 0.5, 0.9]);
    const delayDays = random.pick([1, 3, 8]);
    const instants = new Set<number>();
    const days = random.int(3, 24);
    const perDay = random.pick([0.5, 0.9, 1.5]);
    for (let n = 0; n < days * perDay; n++)
      instants.add(Date.parse(start) + random.int(1, days * 24) * HOUR_MS);
    for (const at of instants) {
      const delay = random.chance(lateShare) ? random.int(1, delayDays * 24) * HOUR_MS : 0;
      events.push({
        user,
        tz,
        metric: random.pick(METRICS),
        value: random.int(1, 3),
        attributes: random.chance(0.5) ? { device: random.pick(['phone', 'tablet']) } : {},
        at,
        arrivesAt: at + delay,
      });
    }
  }
  return events;
}
