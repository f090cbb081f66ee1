import {
  type BoardChange,
  type Outcome,
  type PointsChange,
  parseGroup,
} from '../../../src/redis/decoding/outcome.ts';
import { challengeTrigger } from '../../../src/rules/award.ts';
import type { Config } from '../../../src/rules/config.ts';
import { dateOf, type LocalDate, runEnd } from '../../support/modelCalendar.ts';
import type { ModelUser } from '../../support/modelUser.ts';
import type { EventOperation } from '../../support/randomOperations.ts';
import { boostsOf } from '../books.ts';
import { Excused, type Expected } from '../difference.ts';
import { challengesOf } from './challenges.ts';
import {
  achievementOf,
  boardOf,
  levelAt,
  levelOf,
  systemOf,
  tierOf,
  triggerOf,
  triggerOfChallenge,
} from './entities.ts';
import { streakInOutcome, streakOf } from './streaks.ts';

/** What an event, or an achievement completed by API, is answered with. */

type Recorded = Extract<Outcome, { status: 'recorded' }>;

const iso = (at: number): string => new Date(at).toISOString();
export const ANY_ID = new Excused('string', 'ids of events and awards are random');

/**
 * Status and body of the answer to an event.
 * @param outcomes of its metrics, in the order of the configuration
 */
export function answerTo(
  config: Config,
  event: EventOperation,
  outcomes: readonly Outcome[],
  user: ModelUser | undefined,
  now: number,
  happenedAt = now,
): Answered {
  const { metric, request, key, others } = event;
  if (others === undefined) return answerOfMetric(config, event, outcomes[0]!, user, now, happenedAt);
  const values: Record<string, number> = { [metric]: request.value, ...others };
  const keys = config.metrics.map((one) => one.key).filter((name) => name in values);
  const answers = keys.map((name, i) => {
    const alone = { metric: name, request: { ...request, value: values[name]! }, key: null };
    return outcomes[i]!.status === 'unchanged'
      ? null
      : answerOfMetric(config, alone, outcomes[i]!, user, now, happenedAt);
  });
  const refused = outcomes.findIndex(({ status }) => !['recorded', 'replayed', 'unchanged'].includes(status));
  if (refused !== -1) return answers[refused]!;
  const metrics = Object.fromEntries(keys.map((name, i) => [name, answers[i]!.body]));
  const { status } = answers[0]!;
  return {
    status,
    body: { metrics, ...(key !== null && { idempotencyKey: key, idempotentReplayed: status === 202 }) },
  };
}

interface Answered {
  status: number;
  body: Expected;
}

/** An answer with other ranks, of each metric if it names several. */
export function withRanks(
  { status, body }: Answered,
  ranksOf: (leaderboards: Expected) => Expected,
): Answered {
  const changed = (one: Expected): Expected => {
    const answer = one as Readonly<Record<string, Expected>>;
    return answer.leaderboards ? { ...answer, leaderboards: ranksOf(answer.leaderboards) } : one;
  };
  const { metrics } = body as Readonly<{ metrics?: Readonly<Record<string, Expected>> }>;
  if (metrics === undefined) return { status, body: changed(body) };
  const ofMetrics = Object.entries(metrics).map(([key, one]) => [key, changed(one)]);
  return { status, body: { ...(body as object), metrics: Object.fromEntries(ofMetrics) } };
}

/** Status and body of the answer to an event of one metric. */
function answerOfMetric(
  config: Config,
  { metric, request, key }: EventOperation,
  outcome: Outcome,
  user: ModelUser | undefined,
  now: number,
  happenedAt: number,
): Answered {
  const metricId = config.metrics.find((one) => one.key === metric)!.id;
  const ofKey = (idempotentReplayed: boolean) =>
    key === null ? {} : { idempotencyKey: key, idempotentReplayed };
  if (outcome.status === 'recorded') {
    return {
      status: 201,
      body: {
        eventId: ANY_ID,
        metricId,
        total: outcome.total,
        achievements: achievementsOf(config, outcome, now),
        currentStreak: { ...streakAfter(config, user!, outcome), extended: outcome.extended },
        points: pointsOf(config, outcome.points, happenedAt),
        leaderboards: leaderboardsOf(config, outcome.boards),
        ...challengesOf(config, outcome.challenges ?? [], user!, now),
        ...(outcome.clamped && { clampedFrom: request.value }),
        ...ofKey(false),
      },
    };
  }
  if (outcome.status === 'replayed') {
    return {
      status: 202,
      body: {
        eventId: ANY_ID,
        metricId,
        total: outcome.total,
        achievements: [],
        currentStreak: {
          ...streakAfter(config, user!, outcome),
          extended: false,
        },
        points: {},
        leaderboards: {},
        ...challengesOf(config, [], user!, now),
        ...ofKey(true),
      },
    };
  }
  if (outcome.status === 'held') return { status: 202, body: { held: true, eventId: ANY_ID, metricId } };
  return refusalOf(outcome);
}

export function streakAfter(
  config: Config,
  user: ModelUser,
  { streak, day }: Pick<Recorded, 'streak' | 'day'>,
): Record<string, Expected> {
  const today = dateOf('1970-01-01').plus({ days: day }) as LocalDate;
  return streakOf(config, user, today, streakInOutcome(config.streak.frequency, streak));
}

/** Status and body of a refusal. Its words are not compared, its code is. */
export function refusalOf(outcome: Outcome): { status: number; body: Expected } {
  const error = new Excused('string', 'words of errors have tests of their own');
  switch (outcome.status) {
    case 'blocked':
      return {
        status: 403,
        body: { error, code: 'blocked', ...(outcome.until !== null && { retryAt: iso(outcome.until) }) },
      };
    case 'guarded':
      return {
        status: 422,
        body: {
          error,
          code: 'guard',
          guard: outcome.guard,
          ...(outcome.allowedAt !== null && { retryAt: iso(outcome.allowedAt) }),
        },
      };
    case 'outOfPoints':
      return { status: 422, body: { error, code: 'outOfPoints' } };
    case 'noEmail':
    case 'keyTaken':
      return { status: 422, body: { error, code: outcome.status } };
    case 'futureSignUp':
    case 'tooOld':
    case 'refused':
      return { status: 422, body: { error } };
    case 'unknownUser':
      return { status: 404, body: { error, code: 'unknownUser' } };
    default:
      throw new Error(`${outcome.status} is not a refusal`);
  }
}

type Keyed = Readonly<Record<string, unknown>>;

/** Achievements that were completed together, by key: they have no order. */
function achievementsOf(config: Config, { completed, repeated }: Recorded, at: number): Expected[] {
  const times = new Map([
    ...completed.map((no) => [no, 1] as const),
    ...repeated.map((one) => [one.achievement, one.times] as const),
  ]);
  return config.achievements
    .filter(({ no }) => times.has(no))
    .map(
      (one): Record<string, Expected> => ({
        ...achievementOf(config, one),
        achievedAt: iso(at),
        ...(one.repeat !== null && { timesCompleted: times.get(one.no)! }),
      }),
    )
    .sort(byKey);
}

export const byKey = (a: Keyed, b: Keyed): number => (String(a.key) < String(b.key) ? -1 : 1);

/** What a change has brought, by key of the points system. */
export function pointsOf(config: Config, changes: readonly PointsChange[], at: number): Expected {
  const entries = changes.map(({ system: no, total, added, awards }) => {
    const system = config.pointsSystems.find((one) => one.no === no)!;
    const level = levelAt(config, system, total);
    const isSame = level === levelAt(config, system, total - added);
    return [
      system.key,
      {
        ...systemOf(system),
        total,
        ...(!isSame && { level: level && levelOf(level) }),
        added,
        awards: awards.map(({ trigger, awarded, total: after, boosts }) => ({
          id: ANY_ID,
          awarded,
          date: iso(at),
          total: after,
          trigger: triggerOfAward(config, trigger, awarded, at),
          boosts: boostsOf(config, boosts, null),
        })),
      },
    ];
  });
  return Object.fromEntries(entries);
}

function triggerOfAward(config: Config, no: number, awarded: number, at: number): Expected {
  const challenge = config.challenges.find((one) => challengeTrigger(one.no) === no);
  if (challenge) return triggerOfChallenge(challenge, awarded, at);
  return triggerOf(config, config.pointsTriggers.find((one) => one.no === no)!);
}

function leaderboardsOf(config: Config, changes: readonly BoardChange[]): Expected {
  return Object.fromEntries(
    changes.map(({ board: no, run: day, rank, previousRank, threshold, group }) => {
      const board = config.leaderboards.find((one) => one.no === no)!;
      const start = dateOf('1970-01-01').plus({ days: day }) as LocalDate;
      const parts = parseGroup(group);
      const values = board.league === null ? parts : parts.slice(2);
      const pairs = board.breakdownAttributes.map((id, i) => ({
        key: config.attributes.find((one) => one.id === id)!.key,
        value: values[i]!,
      }));
      return [
        board.key,
        {
          ...boardOf(config, board, { start, end: runEnd(board, start) }, start),
          rank,
          previousRank,
          threshold,
          ...(pairs.length > 0 && {
            breakdownAttributeValue: pairs[0]!.value,
            breakdownAttributeValues: pairs,
          }),
          ...(board.league !== null && { tier: tierOf(board, Number(parts[0])), group: parts[1]! }),
        },
      ];
    }),
  );
}

/** The answer to a completion by API: again, it is that of the first time. */
export function completionAnswer(
  config: Config,
  key: string,
  user: ModelUser,
  outcome: Outcome,
): { status: number; body: Expected } {
  const achievement = config.achievements.find((one) => one.key === key)!;
  const isFirst = outcome.status === 'recorded' && outcome.completed.includes(achievement.no);
  const completedAt = user.achievements.get(achievement.id)!;
  return {
    status: 201,
    body: {
      completionId: ANY_ID,
      achievement: {
        ...achievementOf(config, achievement),
        achievedAt: iso(completedAt),
      },
      points: isFirst ? pointsOf(config, outcome.points, completedAt) : {},
    },
  };
}
