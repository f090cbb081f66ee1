import type { ConfigFile, FileAchievement } from '../../src/contract/configured/configFile.ts';
import type { Random } from './random.ts';

/** Random histories of users, and how late their events arrive. */

const HOUR_MS = 3_600_000;
const HALF_HOUR_MS = HOUR_MS / 2;
const DAY_MS = 86_400_000;
const ZONES = ['UTC', 'Asia/Kolkata', 'America/Los_Angeles'];
const METRICS = ['lessons', 'minutes'];
const CITIES = ['Lima', 'Oslo', 'Rome'];

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

/** What an administrator does to the streak of a user. */
export interface HistoricOperation {
  user: number;
  tz: string;
  op: 'pause' | 'reset' | 'restore';
  at: number;
  /** Length of a pause. */
  days: number;
}

/** The user is in this city from now on. The first move is before all events. */
export interface HistoricMove {
  user: number;
  tz: string;
  city: string;
  at: number;
}

export interface RandomHistories {
  events: HistoricEvent[];
  operations: HistoricOperation[];
  moves: HistoricMove[];
}

/** Counters that remember more than a total. */
const COUNTED = [
  { aggregate: 'days', metricValue: 4 },
  { aggregate: 'days', per: 'week', metricValue: 3 },
  { aggregate: 'count', per: 'day', metricValue: 2 },
  { per: 'month', metricValue: 12 },
  { aggregate: { max: 'value' }, per: 'day', metricValue: 3 },
  { aggregate: { distinct: 'device' }, per: 'week', metricValue: 2 },
  { aggregate: { distinct: 'device' }, metricValue: 2 },
].map((counting, i) => ({
  ...{ key: `counted-${i}`, name: 'Counted', trigger: 'metric', metric: 'lessons', ...counting },
})) as FileAchievement[];

/** Everything whose result does not depend on the order of arrival. */
export function lateConfig(random: Random, start: string): ConfigFile {
  const frequency = random.weighted([
    [5, 'daily'],
    [2, 'weekly'],
    [1, 'monthly'],
  ] as const);
  const isTwo = random.chance(0.5);
  const maxFreezes = random.int(0, 3);
  // Which event is found to complete the first week or month depends on the order, and earning begins there.
  const earning = frequency === 'daily' &&
    random.chance(0.5) && {
      autoEarnInterval: random.int(1, 6),
      autoEarnAmount: random.int(1, maxFreezes + 1),
    };
  return {
    attributes: { event: [{ key: 'device', name: 'Device' }], user: [{ key: 'city', name: 'City' }] },
    metrics: METRICS.map((key) => ({ key, name: key })),
    settings: { lateEvents: { maxAgeSeconds: 9 * 86_400 } },
    streak: {
      enabled: true,
      frequency,
      evaluationMode: random.pick(['AND', 'OR']),
      metrics: METRICS.slice(0, isTwo ? 2 : 1).map((key) => ({ key, threshold: random.int(1, 3) })),
      ...(frequency === 'daily' && random.chance(0.4) && { daysOff: [0, 6] }),
      ...(maxFreezes > 0 && {
        freezes: { startCount: random.int(0, maxFreezes), maxCount: maxFreezes, ...earning },
      }),
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
      ...COUNTED,
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
      ...(['sum', 'best', 'latest'] as const).map((aggregation, i) => ({
        ...{ key: `zone-${aggregation}`, name: 'Zone', rankBy: 'metric', metric: 'minutes', aggregation },
        ...{ runUnit: 'day', runInterval: i + 1, timeZone: random.pick(['Asia/Tokyo', 'Pacific/Auckland']) },
      })),
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
      ...(['sum', 'best', 'latest'] as const).map((aggregation) => ({
        key: `cities-${aggregation}`,
        name: 'Cities',
        rankBy: 'metric',
        metric: 'minutes',
        aggregation,
        runUnit: 'day',
        runInterval: random.int(1, 3),
        breakdownAttributes: ['city'],
      })),
      {
        key: 'cities',
        name: 'Cities',
        rankBy: 'metric',
        metric: 'lessons',
        breakdownAttributes: ['city'],
      },
    ].map((board) => ({ start: dayAfter(start, -1), ...board })) as NonNullable<ConfigFile['leaderboards']>,
  };
}

const dayAfter = (start: string, days: number): string =>
  new Date(Date.parse(start) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * Each user has events over some weeks, with gaps; half of the events arrive up to nine days late, or all of
 * them after the last one, in order. Some users move, and leaderboards rank them by their city. An administrator pauses, resets and restores the streaks of some users, after
 * their first event, which is in time. Before a reset or a restore, the earlier events have arrived.
 */
export function randomHistories(random: Random, start: string, users: number): RandomHistories {
  const histories: RandomHistories = { events: [], operations: [], moves: [] };
  for (let user = 0; user < users; user++) {
    const tz = random.pick(ZONES);
    // Of a phone that was offline, all events arrive together, in order.
    const isOffline = random.chance(0.2);
    const days = random.int(3, isOffline ? 8 : 24);
    const planned = isOffline ? [] : randomOperations(random, { user, tz }, start, days);
    const lateShare = random.pick([0.2, 0.5, 0.9]);
    // Moves often, while runs of the day before are not final.
    const isTraveller = !isOffline && random.chance(0.3);
    const delayHours = isTraveller ? 12 : 24 * random.pick([1, 3, 8]);
    const instants = new Set<number>();
    const perDay = random.pick(isTraveller ? [3] : isOffline ? [1, 2, 4] : [0.5, 0.9, 1.5]);
    for (let n = 0; n < days * perDay; n++)
      instants.add(Date.parse(start) + random.int(1, days * 24) * HOUR_MS);
    const first = Math.min(...instants);
    const last = Math.max(...instants);
    const operations = planned.filter(({ at }) => at > first);
    for (const at of instants) {
      const isInTime = at === first && operations.length > 0;
      const delay = random.chance(lateShare) && !isInTime ? random.int(1, delayHours) * HOUR_MS : 0;
      const awaited = operations.find((operation) => operation.op !== 'pause' && operation.at > at);
      histories.events.push({
        user,
        tz,
        metric: random.pick(METRICS),
        value: random.int(1, 3),
        attributes: random.chance(0.5) ? { device: random.pick(['phone', 'tablet']) } : {},
        at,
        arrivesAt: isOffline
          ? last + 1 + (at - first) / HOUR_MS
          : Math.min(at + delay, awaited === undefined ? Infinity : awaited.at - HALF_HOUR_MS),
      });
    }
    histories.operations.push(...operations);
    histories.moves.push(...randomMoves(random, { user, tz }, start, isTraveller ? days : 2, days));
  }
  return histories;
}

/** In order, each a quarter of an hour after a full one. */
function randomMoves(
  random: Random,
  of: { user: number; tz: string },
  start: string,
  count: number,
  days: number,
): HistoricMove[] {
  const hours = new Set(Array.from({ length: random.int(0, count) }, () => random.int(1, days * 24)));
  return [0, ...[...hours].sort((a, b) => a - b)].map((hour) => ({
    ...of,
    city: random.pick(CITIES),
    at: Date.parse(start) + hour * HOUR_MS + HALF_HOUR_MS / 2,
  }));
}

/** In order, each half an hour after a full one: events are at full hours. */
function randomOperations(
  random: Random,
  of: { user: number; tz: string },
  start: string,
  days: number,
): HistoricOperation[] {
  const ops = random.pick([[], [], ['pause'], ['reset'], ['pause', 'reset'], ['restore']] as const);
  // Of two pauses at one instant the later one is refused, and which one that is may differ between users.
  const hours = new Set(Array.from({ length: random.int(1, 3) }, () => random.int(1, days * 24)));
  return [...hours]
    .sort((a, b) => a - b)
    .flatMap((hour) => {
      if (ops.length === 0) return [];
      const at = Date.parse(start) + hour * HOUR_MS + HALF_HOUR_MS;
      return [{ ...of, op: random.pick<HistoricOperation['op']>(ops), at, days: random.int(1, 5) }];
    });
}
