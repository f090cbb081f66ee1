import type { DateTime } from 'luxon';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import type { FileItem } from '../../src/contract/configured/configLists.ts';
import type { Random } from './random.ts';
import { EVENT_ATTRIBUTES, randomCondition, randomCounting, userLeaf } from './randomConditions.ts';
import { API_ACHIEVEMENTS, METRICS } from './randomConfig.ts';

type FileChallenge = FileItem<'challenges'>;
type FileGoal = FileChallenge['goals'][number];

/** Challenges of all kinds, sometimes none. */
export function randomChallenges(random: Random, start: DateTime): ConfigFile['challenges'] {
  const count = random.pick([0, 1, 2, 4]);
  return Array.from({ length: count }, (_, i) => challenge(random, start, `challenge-${i}`));
}

function challenge(random: Random, start: DateTime, key: string): FileChallenge {
  const goals = Array.from({ length: random.int(1, 5) }, (_, i) => goal(random, `goal-${i}`));
  const pick = random.chance(0.4) ? random.int(1, goals.length) : null;
  const first = start.plus({ days: random.pick([-400, -33, -5, 0, 2]) });
  return {
    key,
    name: key,
    goals,
    complete: random.pick(['all', 'any', 'any', { atLeast: random.int(1, pick ?? goals.length) }]),
    ...(pick !== null && { pick }),
    ...(random.chance(0.5) && { where: randomCondition(random, 3, userLeaf) }),
    start: first.toISODate()!,
    ...(random.chance(0.2) && { end: first.plus({ days: random.pick([7, 60, 450]) }).toISODate()! }),
    ...random.pick<Pick<FileChallenge, 'runUnit' | 'runInterval'>>([
      {},
      { runUnit: 'day', runInterval: 1 },
      { runUnit: 'day', runInterval: 1 },
      { runUnit: 'day', runInterval: random.int(2, 5) },
      { runUnit: 'week', runInterval: 1 },
      { runUnit: 'week', runInterval: 2 },
      { runUnit: 'month', runInterval: 1 },
      { runUnit: 'year', runInterval: 1 },
    ]),
    ...(random.chance(0.1) && { status: 'inactive' }),
    ...(random.chance(0.3) && { join: 'optIn' }),
    ...(random.chance(0.7) && { rewards: rewards(random), ...claiming(random) }),
    ...(random.chance(0.2) && { description: `What ${key} is` }),
    ...(random.chance(0.2) && { badge: { url: `https://example.com/${key}.png` } }),
  };
}

const goal = (random: Random, key: string): FileGoal => ({
  key,
  name: key,
  metric: random.pick(METRICS),
  target: random.pick([0.5, 1, 1, 2, 3, 7, 12]),
  ...(random.chance(0.15) && {
    eventAttributes: { device: String(random.pick([...EVENT_ATTRIBUTES.device])) },
  }),
  ...randomCounting(random),
});

const claiming = (random: Random): Pick<FileChallenge, 'claim' | 'claimDays'> =>
  random.pick([
    {},
    { claim: 'manual' },
    { claim: 'manual', claimDays: random.int(1, 3) },
    { claim: 'manual', claimDays: random.int(1, 3) },
  ]);

function rewards(random: Random): NonNullable<FileChallenge['rewards']> {
  const systems = random.some(['xp', 'energy'], 0.6);
  const achievement = random.pick(API_ACHIEVEMENTS);
  return {
    points: systems.map((system) => ({ system, points: random.pick([1, 5, 40]) })),
    ...((systems.length === 0 || random.chance(0.3)) && { achievement }),
    ...(random.chance(0.2) && { freezes: random.int(1, 3) }),
    ...(random.chance(0.6) && {
      boost: { system: 'xp', multiplier: random.pick([1.5, 2, 3.25]), hours: random.pick([1, 24, 100]) },
    }),
  };
}
