import type { DateTime } from 'luxon';
import { PERIODS } from '../../src/contract/conditions/condition.ts';
import type {
  ConfigFile,
  FileAchievement,
  FileBoost,
  FileLeaderboard,
  FileTrigger,
} from '../../src/contract/configured/configFile.ts';
import type { FileItem } from '../../src/contract/configured/configLists.ts';
import type { Guards } from '../../src/contract/guards.ts';
import type { LeagueInput } from '../../src/contract/leagues.ts';
import type { Random } from './random.ts';
import { randomChallenges } from './randomChallenges.ts';
import {
  ADDITIVE,
  EVENT_ATTRIBUTES,
  type EventAttribute,
  randomCounting,
  USER_VALUE_TYPES,
  VALUE_TYPES,
} from './randomConditions.ts';

/** Few enough that users meet: on boards, in groups, at filters. */
export const METRICS = ['lessons', 'minutes', 'sparks'] as const;
export const API_ACHIEVEMENTS = ['profile', 'invite'] as const;
export const USER_ATTRIBUTES = { city: ['london', 'tokyo', 'são paulo'], plan: ['free', 'pro'] } as const;
type Filter = Record<string, string>;
type FileMetric = FileItem<'metrics'>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

function filter(
  random: Random,
  values: Record<string, readonly (string | number | boolean)[]>,
  share: number,
): Filter | undefined {
  const keys = random.some(Object.keys(values), share);
  return keys.length === 0
    ? undefined
    : Object.fromEntries(keys.map((key) => [key, String(random.pick([...values[key]!]))]));
}

/** What users see of an item: mostly nothing, so that configurations stay small. */
function appearance(random: Random, key: string): { description?: string; badge?: { url: string } } {
  return {
    ...(random.chance(0.2) && { description: `What ${key} is` }),
    ...(random.chance(0.2) && { badge: { url: `https://example.com/${key}.png` } }),
  };
}

/** No day, the weekend, one day, or all but one. */
export const randomDaysOff = (random: Random): number[] =>
  random.pick([[], [], [0, 6], [random.int(0, 6)], [1, 2, 3, 4, 5, 6]]);

/** A configuration in which everything that scripts evaluate may occur, for a test that begins at `start`. */
export function randomConfig(random: Random, start: DateTime): ConfigFile {
  const frequency = random.pick(['daily', 'daily', 'weekly', 'monthly'] as const);
  return {
    attributes: {
      user: [
        ...Object.keys(USER_ATTRIBUTES).map((key) => ({ key, name: key })),
        ...Object.entries(USER_VALUE_TYPES).map(([key, valueType]) => ({ key, name: key, valueType })),
      ],
      event: (Object.keys(EVENT_ATTRIBUTES) as EventAttribute[]).map((key) => ({
        key,
        name: key,
        ...(VALUE_TYPES[key] && { valueType: VALUE_TYPES[key] }),
      })),
    },
    metrics: METRICS.map((key) => ({ key, name: key, guards: guards(random), ...unit(random) })),
    streak: {
      enabled: random.chance(0.8),
      frequency,
      daysOff: frequency === 'daily' ? randomDaysOff(random) : [],
      evaluationMode: random.pick(['AND', 'OR']),
      customizationEnabled: random.chance(0.5),
      metrics: random.pick([
        [{ key: 'lessons', threshold: 1 }],
        [{ key: 'lessons', threshold: 3 }],
        [
          { key: 'lessons', threshold: 1 },
          { key: 'minutes', threshold: 2 },
        ],
      ]),
      freezes: random.pick([
        undefined,
        { startCount: 1, maxCount: 2, autoEarnInterval: 7, autoEarnAmount: 1 },
        { startCount: 3, maxCount: 3 },
        { startCount: 0, maxCount: 5, autoEarnInterval: 2, autoEarnAmount: 2 },
        { startCount: 2, maxCount: 3, autoEarnInterval: 1, autoEarnAmount: 2 },
        { startCount: 0, maxCount: 9, autoEarnInterval: 1, autoEarnAmount: 1 },
      ]),
    },
    achievements: achievements(random),
    points: [experience(random, start), energy(random, start)],
    leaderboards: Array.from({ length: random.int(4, 8) }, (_, i) =>
      leaderboard(random, start, `board-${i}`),
    ),
    challenges: randomChallenges(random.fork(), start),
    settings: {
      experimentation: { controlRatio: random.pick([0, 50]) },
      idempotencyWindowSeconds: random.pick([null, null, 3_600, 86_400 * 3]),
      lateEvents: { maxAgeSeconds: random.pick([0, 3_600, 86_400 * 9]) },
      defaultTimeZone: random.pick(['UTC', 'Asia/Kathmandu', 'Pacific/Kiritimati']),
    },
  };
}

const unit = (random: Random): Pick<FileMetric, 'unitType' | 'units'> =>
  random.pick([{}, { units: 'times' }, { unitType: 'currency', units: 'EUR' }]);

/** Often none; else such that everyday values and bursts meet them. */
function guards(random: Random): Guards | null {
  if (random.chance(0.5)) return null;
  const conditions = {
    ...(random.chance(0.4) && { minValue: random.pick([-5, 0, 1]) }),
    ...(random.chance(0.4) && { maxValue: random.pick([1, 1, 2.5, 10]) }),
    ...(random.chance(0.4) && { cooldownSeconds: random.pick([1, 600, 7_200]) }),
    limits: random.some(
      [
        { per: 'hour', events: 2 },
        { per: 'hour', value: 3.5 },
        { per: 'day', events: random.pick([1, 2, 5]) },
        { per: 'day', value: random.pick([2, 20]) },
      ] as const,
      0.5,
    ),
  };
  const { limits, ...others } = conditions;
  const isEmpty = limits.length + Object.keys(others).length === 0;
  return isEmpty ? null : { ...conditions, action: random.pick(['refuse', 'clamp', 'hold']) };
}

function achievements(random: Random): FileAchievement[] {
  const list: FileAchievement[] = Array.from({ length: random.int(4, 8) }, (_, i) => ({
    key: `metric-${i}`,
    name: 'By metric',
    trigger: 'metric',
    status: random.pick(['active', 'active', 'active', 'inactive', 'locked']),
    metric: random.pick(METRICS),
    metricValue: random.pick([0.5, 1, 3, 10, 25]),
    userAttributes: filter(random, USER_ATTRIBUTES, 0.35),
    eventAttributes: filter(random, EVENT_ATTRIBUTES, 0.1),
    ...randomCounting(random),
    ...(random.chance(0.25) && repeating(random, random.pick(PERIODS))),
  }));
  for (const streakLength of [1, 2, 3, 5]) {
    const userAttributes = filter(random, USER_ATTRIBUTES, 0.15);
    const key = `streak-${streakLength}`;
    list.push({ key, name: 'By streak', trigger: 'streak', streakLength, userAttributes });
  }
  for (const anniversaryYears of [1, 2, 3]) {
    const userAttributes = filter(random, USER_ATTRIBUTES, 0.15);
    const key = `anniversary-${anniversaryYears}`;
    list.push({ key, name: 'By anniversary', trigger: 'anniversary', anniversaryYears, userAttributes });
  }
  for (const key of API_ACHIEVEMENTS) list.push({ key, name: 'By API', trigger: 'api' });
  const earlier = list.map(({ key }) => key);
  for (let i = 0; i < 4; i++) {
    const prerequisites = [...new Set([random.pick(earlier), random.pick(earlier), random.pick(earlier)])];
    earlier.push(`chained-${i}`);
    list.push({
      key: `chained-${i}`,
      name: 'By others',
      trigger: 'achievement',
      achievements: random.chance(0.4)
        ? { atLeast: random.int(1, prerequisites.length), of: prerequisites }
        : prerequisites,
      userAttributes: filter(random, USER_ATTRIBUTES, 0.1),
    });
  }
  const shown = list.map((one) => ({
    ...one,
    ...appearance(random, one.key!),
    ...(random.chance(0.15) && { hidden: true }),
  }));
  // What is required may stand behind what requires it.
  return random.chance(0.5) ? shown : shown.reverse();
}

const repeating = (random: Random, per: (typeof PERIODS)[number]) => ({
  per,
  ...(random.chance(0.6) && { repeat: per }),
});

function metricTrigger(random: Random): FileTrigger {
  return {
    type: 'metric',
    metric: random.pick(['lessons', 'minutes']),
    metricThreshold: random.pick([1, 1, 2, 5]),
    points: random.pick([1, 3, 7, 10, -2]),
    status: random.pick(['active', 'active', 'active', 'inactive']),
    userAttributes: filter(random, USER_ATTRIBUTES, 0.15),
    eventAttributes: filter(random, EVENT_ATTRIBUTES, 0.1),
    ...randomCounting(random),
  };
}

function experience(random: Random, start: DateTime): NonNullable<ConfigFile['points']>[number] {
  const triggers: FileTrigger[] = Array.from({ length: random.int(1, 3) }, () => metricTrigger(random));
  triggers.push({
    type: 'achievement',
    achievement: random.pick(API_ACHIEVEMENTS),
    points: random.pick([50, 5, -20]),
  });
  triggers.push({ type: 'achievement', achievement: 'chained-0', points: 11 });
  triggers.push({ type: 'achievement', achievement: random.pick(['metric-0', 'metric-1']), points: 4 });
  triggers.push({ type: 'achievement', achievement: `anniversary-${random.int(1, 3)}`, points: 8 });
  triggers.push({ type: 'streak', streakLength: random.int(1, 3), points: random.pick([5, 20, -3]) });
  if (random.chance(0.7)) triggers.push({ type: 'user_creation', points: random.pick([5, 100]) });
  // Levels in any order, the lowest above 0 or not.
  const levels = random.some([300, 0, 50, 1_000, 120], 0.7);
  return {
    key: 'xp',
    name: 'XP',
    maxPoints: random.pick([null, null, 90, 1_500]),
    ...appearance(random, 'xp'),
    levels: levels.map((points) => ({
      key: `from-${points}`,
      name: `From ${points}`,
      points,
      ...appearance(random, `from-${points}`),
    })),
    triggers: random.chance(0.5) ? triggers : triggers.reverse(),
    boosts: boosts(random, start),
  };
}

function energy(random: Random, start: DateTime): NonNullable<ConfigFile['points']>[number] {
  const block = random.chance(0.7);
  return {
    key: 'energy',
    name: 'Energy',
    maxPoints: random.pick([10, 30, null]),
    triggers: [
      { type: 'user_creation', points: random.int(5, 40) },
      {
        type: 'metric',
        metric: 'sparks',
        metricThreshold: random.int(1, 2),
        points: -3,
        blockIfOutOfPoints: block,
        ...(random.chance(0.5) && randomCounting(random)),
      },
      { type: 'metric', metric: 'minutes', metricThreshold: 3, points: 4 },
      ...timeTriggers(random),
      { type: 'streak', streakLength: 1, points: 6, userAttributes: filter(random, USER_ATTRIBUTES, 0.2) },
    ],
    boosts: random.chance(0.3) ? boosts(random, start) : [],
  };
}

function timeTriggers(random: Random): FileTrigger[] {
  return random
    .some(
      [
        { timeUnit: 'hours', timeInterval: random.pick([1, 4, 5]), points: random.pick([1, 5]) },
        { timeUnit: 'days', timeInterval: random.pick([1, 3, 7]), points: random.pick([7, -4]) },
      ] as const,
      0.5,
    )
    .map((trigger) => ({ ...trigger, type: 'time', userAttributes: filter(random, USER_ATTRIBUTES, 0.15) }));
}

function boosts(random: Random, start: DateTime): FileBoost[] {
  return Array.from({ length: random.int(0, 4) }, (_, i) => {
    const first = start.plus({ days: random.int(-5, 40) });
    return {
      name: `Boost ${i}`,
      start: first.toISODate()!,
      end: random.chance(0.2) ? null : first.plus({ days: random.int(0, 15) }).toISODate()!,
      multiplier: random.pick([2, 1.5, 1.1, 0.7, 3, 0.25]),
      rounding: random.pick(['down', 'up', 'nearest']),
      userId: random.chance(0.2) ? 'ann' : null,
      userAttributes: filter(random, USER_ATTRIBUTES, 0.25),
    };
  });
}

function leaderboard(random: Random, start: DateTime, key: string): FileLeaderboard {
  const board: Writable<FileLeaderboard> = {
    key,
    name: key,
    rankBy: random.pick(['metric', 'metric', 'points', 'points', 'streak']),
    maxParticipants: random.pick([2, 3, 4, 100]),
    start: '2020-01-01',
    ...(random.chance(0.2) && { description: `What ${key} is` }),
    ...(random.chance(0.08) && { status: 'inactive' }),
    breakdownAttributes: random.chance(0.35) ? random.some(Object.keys(USER_ATTRIBUTES), 0.6) : [],
  };
  if (board.rankBy === 'metric') {
    board.metric = random.pick(METRICS);
    board.aggregation = random.pick(['sum', 'best', 'latest']);
    if (board.aggregation !== 'sum') board.sortOrder = random.pick(['desc', 'asc', 'asc']);
    board.eventAttributes = filter(random, EVENT_ATTRIBUTES, 0.1);
    const { where, aggregate } = randomCounting(random, ADDITIVE);
    if (where) board.where = where;
    if (aggregate && board.aggregation === 'sum') board.aggregate = aggregate;
  }
  board.ties = random.pick(['arrival', 'arrival', 'shared']);
  if (board.rankBy === 'points') board.points = random.pick(['xp', 'energy']);
  const hasWindow = random.chance(0.25) && board.aggregate !== 'days';
  if (hasWindow) {
    const window = random.pick([
      ['09:00', '17:30:30'],
      ['22:00', '02:15'],
      ['12:00', undefined],
      [undefined, '06:00:01'],
    ] as const);
    if (window[0]) board.startTime = window[0];
    if (window[1]) board.endTime = window[1];
  }
  if (board.rankBy !== 'streak' && random.chance(0.7)) {
    const [unit, interval, first] = random.pick([
      ['day', 1, '2026-01-01'],
      ['day', 1, '2026-01-02'],
      ['day', 7, '2026-01-05'],
      ['day', random.int(2, 5), '2026-01-03'],
      ['month', 1, '2026-01-31'],
      ['month', 2, '2025-08-31'],
      ['month', 1, '2026-01-01'],
      ['year', 1, '2024-02-29'],
    ] as const);
    Object.assign(board, { runUnit: unit, runInterval: interval, start: first });
    const runs = random.pick(['league', 'league', 'zone', 'own', 'own'] as const);
    if (runs === 'league') {
      Object.assign(board, { ties: 'arrival', league: league(random) });
      delete board.maxParticipants;
    } else if (runs === 'zone' && !hasWindow) {
      board.timeZone = random.pick(['Asia/Tokyo', 'America/Anchorage', 'Australia/Lord_Howe']);
    }
  }
  // Groups that change where a board is not running have a case of their own in recordEvents.test.ts.
  if (board.breakdownAttributes?.length === 0 && random.chance(0.5)) {
    const first = start.plus({ days: random.int(-3, 12) });
    board.start = first.toISODate()!;
    if (random.chance(0.4)) board.end = first.plus({ days: random.int(0, 30) }).toISODate()!;
  }
  if ((board.runUnit || board.end) && random.chance(0.8)) board.rewards = rewards(random, board.league);
  return board;
}

/** For ranks, and for tiers of a league. */
function rewards(random: Random, ofLeague: LeagueInput | null | undefined): FileLeaderboard['rewards'] {
  const upper = ofLeague?.tiers.slice(1).map(({ key }) => key) ?? [];
  return Array.from({ length: random.int(1, 4) }, () => {
    const given = random.chance(0.7)
      ? { points: { system: random.pick(['xp', 'energy']), amount: random.pick([1, 7, 60]) } }
      : { achievement: random.pick(API_ACHIEVEMENTS) };
    const ranks = random.pick([
      { from: 1, to: 1 },
      { from: 1, to: 2 },
      { from: 2, to: 2 },
    ]);
    if (!ofLeague || random.chance(0.3)) return { ...ranks, ...given };
    const tier = random.pick([undefined, ...upper]);
    return { promoted: random.chance(0.7) || tier === undefined, tier, ...given };
  });
}

/** Small groups, so that few users fill some. */
function league(random: Random): LeagueInput {
  const keys = ['bronze', 'silver', 'gold', 'ruby'].slice(0, random.int(1, 4));
  const tiers = keys.map((key, i) => ({
    key,
    name: key,
    ...(i < keys.length - 1 && { promote: random.int(0, 3) }),
    ...(i > 0 && { demote: random.int(0, 3) }),
  }));
  return { groupSize: random.int(2, 5), tiers, idle: random.pick(['stay', 'demote']) };
}
