import type { Goal } from '../../../src/contract/challengeGoals.ts';
import type { ChallengeChange, GoalTotal } from '../../../src/redis/decoding/challengeStates.ts';
import type { Challenge, Config } from '../../../src/rules/config.ts';
import { addDays, dateOf, type LocalDate, startOfDate } from '../../support/modelCalendar.ts';
import {
  counterOf,
  goalsOf,
  goalTotal,
  isOpen,
  type ModelChallengeRun,
  runDates,
  runOn,
} from '../../support/modelChallenges.ts';
import { addedBy, typedAttributes } from '../../support/modelCounting.ts';
import type { ModelUser } from '../../support/modelUser.ts';
import type { Expected } from '../difference.ts';
import { countingOf, pairs, statusOn } from './entities.ts';

/** Challenges, as answers show them (docs/challenges.md). */

const iso = (at: number): string => new Date(at).toISOString();

function rewardsOf(config: Config, { rewards }: Challenge): Expected {
  const achievement = config.achievements.find(({ id }) => id === rewards?.achievementId);
  return {
    points: (rewards?.points ?? []).map(({ systemId, points }) => ({
      key: config.pointsSystems.find(({ id }) => id === systemId)!.key,
      points,
    })),
    achievement: achievement ? { key: achievement.key, name: achievement.name } : null,
    freezes: rewards?.freezes ?? null,
    boost: rewards?.boost
      ? {
          key: config.pointsSystems.find(({ id }) => id === rewards.boost!.systemId)!.key,
          multiplier: rewards.boost.multiplier,
          hours: rewards.boost.hours,
        }
      : null,
  };
}

const runOfUser = (user: ModelUser, challenge: Challenge, run: number): ModelChallengeRun | undefined =>
  user.challengeRuns.find((one) => one.challengeId === challenge.id && one.run === run);

/** @param totalsOf what each goal has */
function progressOf(
  config: Config,
  challenge: Challenge,
  user: ModelUser,
  { run, completedAt, claimedAt }: Pick<ChallengeChange, 'run' | 'completedAt' | 'claimedAt'>,
  { now, present }: { now: number; present: number },
  totalsOf: (goal: Goal) => GoalTotal,
): Expected {
  return {
    run: runDates(challenge, run).start.toISODate(),
    goals: goalsOf(config, challenge, user.id, run).map((goal) => {
      const { total, peak } = totalsOf(goal);
      const { key, name, target } = goal;
      return { key, name, progress: Math.min(total, target), target, completed: peak >= target };
    }),
    completed: completedAt !== null,
    claimable:
      completedAt !== null &&
      claimedAt === null &&
      run >= present - 1 &&
      now < completedAt + (challenge.claimDays ?? Number.POSITIVE_INFINITY) * 86_400_000,
    rewards: rewardsOf(config, challenge),
  };
}

/** What a goal has after a change. */
const totalIn = (
  config: Config,
  challenge: Challenge,
  goal: Goal,
  { progress }: ChallengeChange,
): GoalTotal => progress.get(counterOf(config, challenge, goal)) ?? { total: 0, peak: 0 };

/** `challenges` of the answer to an event; nothing if none are configured. */
export function challengesOf(
  config: Config,
  changes: readonly ChallengeChange[],
  user: ModelUser,
  now: number,
): { challenges?: Expected } {
  if (config.challenges.length === 0) return {};
  const shown = changes.map((change) => {
    const challenge = config.challenges.find(({ no }) => no === change.challenge)!;
    const { id, key, name } = challenge;
    // Of a batch, each answer shows the goals after its event.
    const totalsOf = (goal: Goal): GoalTotal => totalIn(config, challenge, goal, change);
    return [
      key,
      {
        id,
        key,
        name,
        ...(progressOf(config, challenge, user, change, { now, present: change.run }, totalsOf) as object),
      },
    ];
  });
  return { challenges: Object.fromEntries(shown) };
}

/** The present run of a user, the last one of a challenge that is over; null before it begins. */
export function presentRun(challenge: Challenge, user: ModelUser, today: LocalDate): number | null {
  const last = challenge.end === null ? today : dateOf(challenge.end);
  const dated = runOn(challenge, last < today ? last : today);
  if (dated === null) return null;
  const begun = user.challengeRuns.filter(({ challengeId }) => challengeId === challenge.id);
  return Math.max(dated, ...begun.map(({ run }) => run));
}

/** @param change the run as it was after a change; by default as it is */
export function challengeOfUser(
  config: Config,
  challenge: Challenge,
  user: ModelUser,
  run: number,
  { now, today }: { now: number; today: LocalDate },
  change: ChallengeChange | null = null,
): Expected {
  const zone = user.tz ?? config.settings.defaultTimeZone;
  const { id, key, name, description, badgeUrl } = challenge;
  const { start, end } = runDates(challenge, run);
  const known = runOfUser(user, challenge, run);
  const { joinedAt = null, completedAt = null, claimedAt = null } = change ?? known ?? {};
  const present = runOn(challenge, today)!;
  const totalsOf = (goal: Goal): GoalTotal =>
    change === null ? goalTotal(known, challenge, goal) : totalIn(config, challenge, goal, change);
  return {
    ...{ id, key, name, description, badgeUrl },
    ...(progressOf(
      config,
      challenge,
      user,
      { run, completedAt, claimedAt },
      { now, present },
      totalsOf,
    ) as object),
    start: iso(startOfDate(zone, start)),
    end: end && iso(startOfDate(zone, addDays(end, 1))),
    joined: challenge.join === 'automatic' || joinedAt !== null,
    joinedAt: joinedAt === null ? null : iso(joinedAt),
    completedAt: completedAt === null ? null : iso(completedAt),
    completions: user.challengeCompletions.get(challenge.id) ?? 0,
    claimedAt: claimedAt === null || challenge.rewards === null ? null : iso(claimedAt),
  };
}

/** What does not matter to conditions that look at the user. */
const NO_EVENT = { value: 0, attributes: {}, typed: {}, clock: '00:00:00' };

/** Whether an event of the user would count now. */
export function takesPart(config: Config, { where }: Challenge, user: ModelUser, today: LocalDate): boolean {
  const counting = { eventAttributes: [], where, aggregate: 'count' as const };
  const facts = { ...NO_EVENT, localDate: today, user: typedAttributes(config, user.attributes) };
  return addedBy(counting, facts) !== null;
}

const presentRuns = ({ challenges }: Config, user: ModelUser, today: LocalDate) =>
  challenges
    .filter(({ status }) => status === 'active')
    .flatMap((challenge) => {
      const run = presentRun(challenge, user, today);
      return run === null ? [] : { challenge, run };
    });

/** The list of challenges in the present run. */
export const challengesOfUser = (
  config: Config,
  user: ModelUser,
  today: LocalDate,
  now: number,
): Expected[] =>
  presentRuns(config, user, today)
    .filter(
      ({ challenge, run }) =>
        isOpen(challenge, today) &&
        (takesPart(config, challenge, user, today) || runOfUser(user, challenge, run) !== undefined),
    )
    .map(({ challenge, run }) => challengeOfUser(config, challenge, user, run, { now, today }));

/** Paths and answers below a user: the list of challenges, and each in the present run and the one before. */
export function challengeReads(
  config: Config,
  user: ModelUser,
  today: LocalDate,
  now: number,
): [path: string, body: Expected][] {
  const present = presentRuns(config, user, today);
  const shown = ({ challenge, run }: (typeof present)[number]): Expected =>
    challengeOfUser(config, challenge, user, run, { now, today });
  return [
    ['challenges', challengesOfUser(config, user, today, now)],
    ...present.map((one): [string, Expected] => [`challenges/${one.challenge.key}`, shown(one)]),
    ...present
      .filter(({ run }) => run > 0)
      .map(({ challenge, run }): [string, Expected] => {
        const date = runDates(challenge, run - 1).end!.toISODate();
        return [`challenges/${challenge.key}?run=${date}`, shown({ challenge, run: run - 1 })];
      }),
  ];
}

/** Challenges as configured, by the date of the tenant. */
export const challengesAtHome = (config: Config, home: LocalDate): Expected =>
  config.challenges
    .filter(({ status, start, end }) => status === 'active' && statusOn(start, end, home) !== 'finished')
    .map((challenge): Expected => {
      const { id, key, name, description, badgeUrl, start, end, runUnit, runInterval } = challenge;
      return {
        ...{ id, key, name, description, badgeUrl, start, end, runUnit, runInterval },
        status: statusOn(start, end, home),
        goals: challenge.goals.map((goal): Expected => {
          const metric = config.metrics.find((one) => one.id === goal.metricId)!;
          return {
            key: goal.key,
            name: goal.name,
            metricKey: metric.key,
            metricName: metric.name,
            target: goal.target,
            ...(goal.eventAttributes.length > 0 && {
              eventAttributes: pairs(config, goal.eventAttributes),
            }),
            ...countingOf(goal),
          };
        }),
        complete: challenge.complete,
        ...(challenge.pick !== null && { pick: challenge.pick }),
        join: challenge.join,
        claim: challenge.claim,
        ...(challenge.claimDays !== null && { claimDays: challenge.claimDays }),
        rewards: rewardsOf(config, challenge),
      };
    });
