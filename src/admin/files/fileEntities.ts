import { LEADERBOARD_PARTICIPANTS_MAX } from '../../base/limits.ts';
import type {
  FileAchievement,
  FileBoost,
  FileLeaderboard,
  FileLevel,
  FileSettings,
  FileStreak,
  FileSystem,
  FileTrigger,
} from '../../contract/configFile.ts';
import type { Body } from '../../engine/configuration/configDraft.ts';
import { dayOfDate, statusOn } from '../../rules/calendar.ts';
import {
  type Achievement,
  DEFAULT_STREAK,
  type Leaderboard,
  type PointsBoost,
  type PointsLevel,
  type PointsSystem,
  type PointsTrigger,
  type StreakSettings,
} from '../../rules/config.ts';
import { changeLeague } from '../../rules/leagueTiers.ts';
import { DEFAULT_ORDER } from '../../rules/rankingOrder.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../rules/tenantSettings.ts';
import { mergeSettings } from '../entities/settingsRules.ts';
import { runOf } from '../entities/weeks.ts';
import type { References } from './fileReferences.ts';
import { rewardOf } from './fileRewards.ts';

/**
 * Converts the items of a configuration file to entities: keys become ids, missing fields get their default.
 * `path` is the path of the item in the file, for reporting unknown references. Whether the entities are
 * valid is checked by configRules.ts.
 */

export function achievementOf(item: FileAchievement, refs: References, path: string): Body<Achievement> {
  return {
    key: item.key,
    name: item.name,
    description: item.description ?? null,
    badgeUrl: item.badge?.url ?? null,
    trigger: item.trigger,
    status: item.status ?? 'active',
    hidden: item.hidden ?? false,
    metricId: item.metric === undefined ? null : refs.metricId(item.metric, `${path}.metric`),
    metricValue: item.metricValue ?? null,
    streakLength: item.streakLength ?? null,
    anniversaryYears: item.anniversaryYears ?? null,
    achievementIds: (item.achievements ?? []).map((key, index) =>
      refs.achievementId(key, `${path}.achievements[${index}]`),
    ),
    userAttributes: refs.filter('user', item.userAttributes, `${path}.userAttributes`),
    eventAttributes: refs.filter('event', item.eventAttributes, `${path}.eventAttributes`),
  };
}

export function systemOf(item: FileSystem): Body<PointsSystem> {
  return {
    key: item.key,
    name: item.name,
    description: item.description ?? null,
    badgeUrl: item.badge?.url ?? null,
    maxPoints: item.maxPoints ?? null,
  };
}

export function levelOf(item: FileLevel, systemId: string): Body<PointsLevel> {
  return {
    systemId,
    key: item.key,
    name: item.name,
    description: item.description ?? '',
    badgeUrl: item.badge?.url ?? null,
    points: item.points,
  };
}

const TIME_UNIT = { hour: 'hour', hours: 'hour', day: 'day', days: 'day' } as const;

export function triggerOf(
  item: FileTrigger,
  systemId: string,
  refs: References,
  path: string,
): Body<PointsTrigger> {
  return {
    systemId,
    type: item.type,
    points: item.points,
    status: item.status ?? 'active',
    metricId: item.metric === undefined ? null : refs.metricId(item.metric, `${path}.metric`),
    metricThreshold: item.metricThreshold ?? null,
    achievementId:
      item.achievement === undefined ? null : refs.achievementId(item.achievement, `${path}.achievement`),
    streakLength: item.streakLength ?? null,
    timeUnit: item.timeUnit === undefined ? null : TIME_UNIT[item.timeUnit],
    timeInterval: item.timeInterval ?? null,
    blockIfOutOfPoints: item.blockIfOutOfPoints ?? false,
    userAttributes: refs.filter('user', item.userAttributes, `${path}.userAttributes`),
    eventAttributes: refs.filter('event', item.eventAttributes, `${path}.eventAttributes`),
  };
}

export function boostOf(
  item: FileBoost,
  systemId: string,
  refs: References,
  path: string,
): Body<PointsBoost> {
  return {
    systemId,
    name: item.name,
    start: item.start,
    end: item.end ?? null,
    multiplier: item.multiplier,
    rounding: item.rounding ?? 'down',
    userId: item.userId ?? null,
    userAttributes: refs.filter('user', item.userAttributes, `${path}.userAttributes`),
  };
}

/** @param today the date of the tenant: the start of a new leaderboard without one */
export function leaderboardOf(
  item: FileLeaderboard,
  stored: Leaderboard | undefined,
  refs: References,
  path: string,
  today: string,
): Body<Leaderboard> {
  const start = item.start ?? stored?.start ?? today;
  const end = item.end ?? null;
  const isNewAndOver = stored === undefined && item.status === 'finished' && end !== null && end < today;
  // An active leaderboard whose end has passed becomes finished by itself.
  const status = isNewAndOver ? 'active' : (item.status ?? (start > today ? 'scheduled' : 'active'));
  return {
    key: item.key,
    name: item.name,
    description: item.description ?? null,
    status: stored && hasComeToPass(status, stored, start, end, today) ? stored.status : status,
    rankBy: item.rankBy,
    metricId: item.metric === undefined ? null : refs.metricId(item.metric, `${path}.metric`),
    pointsSystemId: item.points === undefined ? null : refs.systemId(item.points, `${path}.points`),
    sortOrder: item.sortOrder ?? DEFAULT_ORDER.sortOrder,
    aggregation: item.aggregation ?? DEFAULT_ORDER.aggregation,
    ties: item.ties ?? DEFAULT_ORDER.ties,
    eventAttributes: refs.filter('event', item.eventAttributes, `${path}.eventAttributes`),
    maxParticipants: item.maxParticipants ?? LEADERBOARD_PARTICIPANTS_MAX,
    start,
    end,
    startTime: item.startTime ?? null,
    endTime: item.endTime ?? null,
    timeZone: item.timeZone ?? null,
    breakdownAttributes: (item.breakdownAttributes ?? []).map((key, index) =>
      refs.attributeId('user', key, `${path}.breakdownAttributes[${index}]`),
    ),
    ...runOf(item.runUnit ?? null, item.runInterval ?? null),
    rewards: (item.rewards ?? []).map((reward, i) => rewardOf(reward, refs, `${path}.rewards[${i}]`)),
    league: changeLeague(item.league ?? null, stored ?? null, dayOfDate(today)),
    runEnds: stored?.runEnds ?? [],
    pauses: stored?.pauses ?? [],
  };
}

const STATUSES_IN_TIME: readonly Leaderboard['status'][] = ['scheduled', 'active', 'finished'];

/**
 * True if the stored leaderboard has, by its dates, reached the declared status or a later one. The schedule
 * starts and finishes leaderboards, and applying the same file again must not fail because of that.
 */
function hasComeToPass(
  declared: Leaderboard['status'],
  stored: Leaderboard,
  start: string,
  end: string | null,
  today: string,
): boolean {
  if (declared === 'inactive' || stored.status === 'inactive' || stored.start !== start) return false;
  const stages = [stored.status, statusOn(stored, dayOfDate(today))].map((status) =>
    STATUSES_IN_TIME.indexOf(status),
  );
  const reached = Math.max(...stages);
  return (
    STATUSES_IN_TIME.indexOf(declared) <= reached &&
    (STATUSES_IN_TIME[reached] !== 'finished' || stored.end === end)
  );
}

/** A file with the section enables the streak, unless it says otherwise. */
export function streakOf(item: FileStreak, refs: References): StreakSettings {
  const { metrics = [], freezes } = item;
  metrics.forEach(({ key }, index) => {
    refs.metricId(key, `streak.metrics[${index}].key`);
  });
  return {
    enabled: item.enabled ?? true,
    frequency: item.frequency ?? DEFAULT_STREAK.frequency,
    evaluationMode: item.evaluationMode ?? DEFAULT_STREAK.evaluationMode,
    customizationEnabled: item.customizationEnabled ?? DEFAULT_STREAK.customizationEnabled,
    daysOff: [...(item.daysOff ?? [])].sort(),
    metrics,
    freezes: freezes ? { autoEarnInterval: null, autoEarnAmount: null, ...freezes } : DEFAULT_STREAK.freezes,
  };
}

export function settingsOf(item: FileSettings): Settings {
  return mergeSettings(DEFAULT_SETTINGS, item);
}
