import type { AchievementResponse } from '../contract/achievement.ts';
import type { Aggregate, Condition, CountingPeriod } from '../contract/conditions/condition.ts';
import { prerequisitesOf } from '../contract/kinds/prerequisites.ts';
import type { LeaderboardResponse } from '../contract/leaderboard.ts';
import type { MetricResponse } from '../contract/metric.ts';
import type {
  PointsBoostResponse,
  PointsLevelResponse,
  PointsResponse,
  PointsTriggerResponse,
} from '../contract/points.ts';
import { dateOfDay, type Run, statusOn } from '../rules/calendar.ts';
import type {
  Achievement,
  AttributeValue,
  Leaderboard,
  Metric,
  PointsLevel,
  PointsSystem,
  PointsTrigger,
} from '../rules/config.ts';
import type { Counting } from '../rules/counting.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { leagueInput } from '../rules/leagueTiers.ts';
import { isPaused } from '../rules/pauses.ts';
import { givenOrder } from '../rules/rankingOrder.ts';

/** Views of entities in the Application API. Pure: the same entity and rules always give the same view. */

export function attributePairs(rules: Rules, pairs: AttributeValue[]): { key: string; value: string }[] {
  return pairs.map((pair) => ({
    key: rules.byId('attributes', pair.attributeId).key,
    value: pair.attributeValue,
  }));
}

/** The list of attributes and, for compatibility, the first one as a single field. */
function eventAttributes(
  rules: Rules,
  pairs: AttributeValue[],
): Pick<AchievementResponse, 'eventAttribute' | 'eventAttributes'> {
  const [first, ...rest] = attributePairs(rules, pairs);
  return first === undefined ? {} : { eventAttribute: first, eventAttributes: [first, ...rest] };
}

/** What is configured beyond attributes of events. */
export const countingView = ({
  where,
  aggregate,
  per = null,
}: Omit<Counting, 'eventAttributes'>): {
  where?: Condition;
  aggregate?: Aggregate;
  per?: CountingPeriod;
} => ({
  ...(where !== null && { where }),
  ...(aggregate !== null && { aggregate }),
  ...(per !== null && { per }),
});

/** For compatibility, the ids are a list in any case. */
function prerequisitesView(
  achievement: Achievement,
): Pick<AchievementResponse, 'achievementIds' | 'atLeast'> {
  const { ids, needed } = prerequisitesOf(achievement);
  return { achievementIds: ids, ...(needed < ids.length && { atLeast: needed }) };
}

export function achievementView(rules: Rules, achievement: Achievement): AchievementResponse {
  const metric = achievement.metricId === null ? null : rules.byId('metrics', achievement.metricId);
  return {
    id: achievement.id,
    key: achievement.key,
    name: achievement.name,
    trigger: achievement.trigger,
    description: achievement.description,
    badgeUrl: achievement.badgeUrl,
    ...(achievement.streakLength !== null && { streakLength: achievement.streakLength }),
    ...(achievement.anniversaryYears !== null && { anniversaryYears: achievement.anniversaryYears }),
    ...(achievement.trigger === 'achievement' && prerequisitesView(achievement)),
    ...(metric && { metricId: metric.id, metricName: metric.name, metricValue: achievement.metricValue! }),
    userAttributes: attributePairs(rules, achievement.userAttributes),
    ...eventAttributes(rules, achievement.eventAttributes),
    ...countingView(achievement),
    ...(achievement.repeat !== null && { repeat: achievement.repeat }),
  };
}

/** A metric of a user, without the user's total. The official client requires a status; there is no other. */
export function metricPart({
  id,
  key,
  name,
}: Metric): Pick<MetricResponse, 'id' | 'key' | 'name' | 'status'> {
  return { id, key, name, status: 'active' };
}

export function pointsSystemView(system: PointsSystem): PointsResponse {
  const { id, key, name, description, badgeUrl, maxPoints } = system;
  return { id, key, name, description, badgeUrl, maxPoints };
}

export function levelView(level: PointsLevel): PointsLevelResponse {
  const { id, key, name, description, badgeUrl, points } = level;
  return { id, key, name, description, badgeUrl, points };
}

export function triggerView(rules: Rules, trigger: PointsTrigger): PointsTriggerResponse {
  const metric = trigger.metricId === null ? null : rules.byId('metrics', trigger.metricId);
  const achievement =
    trigger.achievementId === null ? null : rules.byId('achievements', trigger.achievementId);
  return {
    id: trigger.id,
    type: trigger.type,
    points: trigger.points,
    status: trigger.status,
    ...(achievement && { achievementId: achievement.id, achievementName: achievement.name }),
    ...(metric && {
      metricId: metric.id,
      metricName: metric.name,
      metricThreshold: trigger.metricThreshold!,
    }),
    ...(trigger.streakLength !== null && { streakLengthThreshold: trigger.streakLength }),
    ...(trigger.timeUnit !== null && { timeUnit: trigger.timeUnit, timeInterval: trigger.timeInterval! }),
    userAttributes: attributePairs(rules, trigger.userAttributes),
    ...eventAttributes(rules, trigger.eventAttributes),
    ...countingView(trigger),
    created: trigger.created,
    updated: trigger.updated,
  };
}

export function boostView(
  { id, name, start, end, multiplier, rounding }: Omit<PointsBoostResponse, 'status'>,
  status: PointsBoostResponse['status'],
): PointsBoostResponse {
  return { id, name, status, start, end, multiplier, rounding };
}

/**
 * A leaderboard without start and end; boardView adds them.
 * @param day the local day on which the status is shown
 */
export function leaderboardView(
  rules: Rules,
  board: Leaderboard,
  day: number,
): Omit<LeaderboardResponse, 'start' | 'end'> {
  const metric = board.metricId === null ? null : rules.byId('metrics', board.metricId);
  const system = board.pointsSystemId === null ? null : rules.byId('pointsSystems', board.pointsSystemId);
  const breakdown = board.breakdownAttributes.map((id) => rules.byId('attributes', id).key);
  return {
    id: board.id,
    key: board.key,
    name: board.name,
    description: board.description,
    rankBy: board.rankBy,
    breakdownAttribute: breakdown[0] ?? null,
    breakdownAttributes: breakdown,
    ...(metric && { metricKey: metric.key, metricName: metric.name }),
    ...(system && { pointsSystemKey: system.key, pointsSystemName: system.name }),
    ...givenOrder(board),
    ...(board.league && { league: leagueInput(board.league) }),
    ...(board.timeZone !== null && { timeZone: board.timeZone }),
    ...(isPaused(board) && { paused: true }),
    ...(board.eventAttributes.length > 0 && {
      eventAttributes: attributePairs(rules, board.eventAttributes),
    }),
    ...countingView(board),
    startTime: board.startTime,
    endTime: board.endTime,
    maxParticipants: board.maxParticipants,
    runUnit: board.runUnit,
    runInterval: board.runInterval,
    status: statusOn(board, day),
  };
}

/** A leaderboard in one of its runs; null for the leaderboard as a whole. */
export function boardView(
  rules: Rules,
  board: Leaderboard,
  run: Run | null,
  day: number,
): LeaderboardResponse {
  return {
    ...leaderboardView(rules, board, day),
    start: run === null ? board.start : dateOfDay(run.start),
    end: run === null ? board.end : run.end === null ? null : dateOfDay(run.end),
  };
}
