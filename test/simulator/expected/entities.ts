import type {
  Achievement,
  AttributeValue,
  Challenge,
  Config,
  Leaderboard,
  PointsBoost,
  PointsLevel,
  PointsSystem,
  PointsTrigger,
} from '../../../src/rules/config.ts';
import type { Counting } from '../../../src/rules/counting.ts';
import { isPaused } from '../../../src/rules/pauses.ts';
import { dateOf, type LocalDate } from '../../support/modelCalendar.ts';
import { prerequisites } from '../../support/modelCounting.ts';
import type { RewardedRun } from '../books.ts';
import type { Expected } from '../difference.ts';

/** What is configured, as answers show it (docs/application-api.md). */

/** Instead of the id of something that is configured. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

const iso = (date: LocalDate): string => date.toISODate();

export function pairs(config: Config, values: readonly AttributeValue[]): Expected[] {
  return values.map(({ attributeId, attributeValue }) => ({
    key: config.attributes.find(({ id }) => id === attributeId)!.key,
    value: attributeValue,
  }));
}

function eventAttributes(config: Config, values: readonly AttributeValue[]): Record<string, Expected> {
  if (values.length === 0) return {};
  const all = pairs(config, values);
  return { eventAttribute: all[0]!, eventAttributes: all };
}

export const countingOf = ({
  where,
  aggregate,
  per = null,
}: Omit<Counting, 'eventAttributes'>): Record<string, Expected> => ({
  ...(where !== null && { where: where as unknown as Expected }),
  ...(aggregate !== null && { aggregate: aggregate as Expected }),
  ...(per !== null && { per }),
});

export function achievementOf(config: Config, achievement: Achievement): Record<string, Expected> {
  const { id, key, name, trigger, description, badgeUrl } = achievement;
  const shown: Record<string, Expected> = { id, key, name, trigger, description, badgeUrl };
  if (trigger === 'streak') shown.streakLength = achievement.streakLength!;
  if (trigger === 'anniversary') shown.anniversaryYears = achievement.anniversaryYears!;
  if (trigger === 'achievement') {
    const { ids, needed } = prerequisites(achievement);
    shown.achievementIds = ids;
    if (needed < ids.length) shown.atLeast = needed;
  }
  if (trigger === 'metric') {
    const metric = config.metrics.find((one) => one.id === achievement.metricId)!;
    Object.assign(shown, {
      metricId: metric.id,
      metricName: metric.name,
      metricValue: achievement.metricValue!,
    });
  }
  return {
    ...shown,
    userAttributes: pairs(config, achievement.userAttributes),
    ...eventAttributes(config, achievement.eventAttributes),
    ...countingOf(achievement),
    ...(achievement.repeat !== null && { repeat: achievement.repeat }),
  };
}

export function systemOf({
  id,
  key,
  name,
  description,
  badgeUrl,
  maxPoints,
}: PointsSystem): Record<string, Expected> {
  return { id, key, name, description, badgeUrl, maxPoints };
}

export function levelOf({
  id,
  key,
  name,
  description,
  badgeUrl,
  points,
}: PointsLevel): Record<string, Expected> {
  return { id, key, name, description, badgeUrl, points };
}

/** The levels of a system, lowest first. */
export const levelsOf = (config: Config, system: PointsSystem): PointsLevel[] =>
  config.pointsLevels.filter(({ systemId }) => systemId === system.id).sort((a, b) => a.points - b.points);

export function levelAt(config: Config, system: PointsSystem, total: number): PointsLevel | null {
  return levelsOf(config, system).findLast(({ points }) => points <= total) ?? null;
}

export function triggerOf(config: Config, trigger: PointsTrigger): Record<string, Expected> {
  const { id, type, points, status, created, updated } = trigger;
  const shown: Record<string, Expected> = { id, type, points, status, created, updated };
  if (type === 'achievement') {
    const achievement = config.achievements.find((one) => one.id === trigger.achievementId)!;
    Object.assign(shown, { achievementId: achievement.id, achievementName: achievement.name });
  }
  if (type === 'metric') {
    const metric = config.metrics.find((one) => one.id === trigger.metricId)!;
    Object.assign(shown, {
      metricId: metric.id,
      metricName: metric.name,
      metricThreshold: trigger.metricThreshold!,
    });
  }
  if (type === 'streak') shown.streakLengthThreshold = trigger.streakLength!;
  if (type === 'time')
    Object.assign(shown, { timeUnit: trigger.timeUnit!, timeInterval: trigger.timeInterval! });
  return {
    ...shown,
    userAttributes: pairs(config, trigger.userAttributes),
    ...eventAttributes(config, trigger.eventAttributes),
    ...countingOf(trigger),
  };
}

/** The trigger of an award that comes of nothing that is configured. */
function triggerNotConfigured(type: string, points: number, at: number): Record<string, Expected> {
  const time = new Date(at).toISOString();
  return { id: NO_ID, type, points, status: 'active', userAttributes: [], created: time, updated: time };
}

export const triggerOfAdjustment = (points: number, at: number): Record<string, Expected> =>
  triggerNotConfigured('adjustment', points, at);

export const triggerOfImport = (points: number, at: number): Record<string, Expected> =>
  triggerNotConfigured('import', points, at);

/** The trigger of an award that a completed challenge gives. */
export const triggerOfChallenge = (
  { key, name }: Challenge,
  points: number,
  at: number,
): Record<string, Expected> => ({
  ...triggerNotConfigured('challenge', points, at),
  challengeKey: key,
  challengeName: name,
});

/** The trigger of an award that a leaderboard gives. */
export function triggerOfReward(
  { board, run, rank, at }: RewardedRun,
  points: number,
): Record<string, Expected> {
  return {
    ...triggerNotConfigured('leaderboard', points, at),
    leaderboardKey: board.key,
    leaderboardName: board.name,
    run: iso(run),
    rank,
  };
}

/** Scheduled, active or finished, by a date. */
export function statusOn(start: string, end: string | null, date: LocalDate): string {
  if (date < dateOf(start)) return 'scheduled';
  return end !== null && date > dateOf(end) ? 'finished' : 'active';
}

/** @param date on which the status is shown; without it the boost is active */
export function boostOf(boost: PointsBoost, date: LocalDate | null): Record<string, Expected> {
  const { id, name, start, end, multiplier, rounding } = boost;
  const status = date === null ? 'active' : statusOn(start, end, date);
  return { id, name, status, start, end, multiplier, rounding };
}

/** The boost that a challenge gives, in an award. */
export function boostFromChallenge(challenge: Challenge, date: LocalDate | null): Record<string, Expected> {
  const { id, key, name, start, end, rewards } = challenge;
  const status = date === null ? 'active' : statusOn(start, end, date);
  const { multiplier } = rewards!.boost!;
  return { id, name, status, start, end, multiplier, rounding: 'down', challengeKey: key };
}

export function statusOfBoard({ status, start, end }: Leaderboard, date: LocalDate): string {
  return status === 'finished' || status === 'inactive' ? status : statusOn(start, end, date);
}

/**
 * A leaderboard in one of its runs.
 * @param date on which the status is shown
 */
export function boardOf(
  config: Config,
  board: Leaderboard,
  run: { start: LocalDate; end: LocalDate | null } | null,
  date: LocalDate,
): Record<string, Expected> {
  const { id, key, name, description, rankBy } = board;
  const attributes = board.breakdownAttributes.map(
    (attribute) => config.attributes.find((one) => one.id === attribute)!.key,
  );
  const shown: Record<string, Expected> = {
    id,
    key,
    name,
    description,
    rankBy,
    breakdownAttribute: attributes[0] ?? null,
    breakdownAttributes: attributes,
  };
  if (rankBy === 'metric') {
    const metric = config.metrics.find((one) => one.id === board.metricId)!;
    Object.assign(shown, { metricKey: metric.key, metricName: metric.name });
  }
  if (rankBy === 'points') {
    const system = config.pointsSystems.find((one) => one.id === board.pointsSystemId)!;
    Object.assign(shown, { pointsSystemKey: system.key, pointsSystemName: system.name });
  }
  if (board.sortOrder !== 'desc') shown.sortOrder = board.sortOrder;
  if (board.aggregation !== 'sum') shown.aggregation = board.aggregation;
  if (board.ties !== 'arrival') shown.ties = board.ties;
  if (board.league !== null) shown.league = leagueOf(board);
  if (board.timeZone !== null) shown.timeZone = board.timeZone;
  if (isPaused(board)) shown.paused = true;
  if (board.eventAttributes.length > 0) shown.eventAttributes = pairs(config, board.eventAttributes);
  Object.assign(shown, countingOf(board));
  const { startTime, endTime, maxParticipants, runUnit, runInterval } = board;
  return {
    ...shown,
    startTime,
    endTime,
    maxParticipants,
    runUnit,
    runInterval,
    status: statusOfBoard(board, date),
    start: run === null ? board.start : iso(run.start),
    end: run === null ? board.end : run.end && iso(run.end),
  };
}

/** The settings of the last run. */
function leagueOf(board: Leaderboard): Expected {
  const { groupSize, idle, tiers } = board.league!.at(-1)!;
  return {
    groupSize,
    idle,
    tiers: tiers.map(({ key, name, promote, demote }) => ({
      key,
      name,
      ...(promote > 0 && { promote }),
      ...(demote > 0 && { demote }),
    })),
  };
}

/** A tier by its number, as the latest settings that have it say. */
export function tierOf(board: Leaderboard, no: number): Expected {
  const { tiers } = board.league!.findLast((settings) => settings.tiers.some((tier) => tier.no === no))!;
  const at = tiers.findIndex((tier) => tier.no === no);
  return { key: tiers[at]!.key, name: tiers[at]!.name, position: at + 1 };
}
