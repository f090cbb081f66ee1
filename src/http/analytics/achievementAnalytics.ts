import { ServiceError } from '../../base/errors.ts';
import { ANALYTICS_USERS_MAX } from '../../base/limits.ts';
import type { GetAchievementAnalytics, ListAchievementAnalytics } from '../../contract/progressAnalytics.ts';
import {
  type CompletionActivity,
  type RangeCount,
  readActivityAround,
  readCounts,
  readRangeCounts,
} from '../../db/analytics/readAnalytics.ts';
import { readAchievementStatistics } from '../../redis/state/statistics.ts';
import { countActive } from '../../rules/activeDays.ts';
import { startOfLocalDay } from '../../rules/calendar.ts';
import { STEPS } from '../../rules/steps.ts';
import { namedView } from '../history/timelineView.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { periodStarting, rangeView, rateOf, readRange, rounded } from './range.ts';

const DAY_SECONDS = 86_400;
/** Before and after a completion. */
const DAYS_AROUND = 14;

/** GET /admin/v1/analytics/achievements */
export async function listAchievementAnalytics(
  call: OperationRequest<typeof ListAchievementAnalytics>,
): Promise<OperationResponse<typeof ListAchievementAnalytics>> {
  const { service, rules, query } = call;
  const range = readRange(call, query);
  const { tenant } = rules;
  const [completions, times] = await service.history.read(rules.tenant, (rows) =>
    Promise.all([
      readCounts(rows, tenant, ['completions'], range, 'period'),
      readRangeCounts(rows, tenant, ['completionDays'], range),
    ]),
  );
  // The history also counts users who were erased since.
  const now = await readAchievementStatistics(service.redis, tenant, service.cells);
  const achievements = rules.config.achievements.map(({ id, no, key, name, badgeUrl }) => ({
    id,
    key,
    name,
    badgeUrl,
    completions: countOf(completions, no),
    totalCompletions: now.completions.get(no) ?? 0,
    rate: rateOf(now.completions.get(no) ?? 0, now.users),
    meanDaysToComplete: meanDays(times.filter((row) => row.no === no)),
  }));
  const periods = completions.map(({ no, start, count }) => ({
    achievement: namedView(rules, 'achievements', no).key,
    ...periodStarting(range, start),
    completions: count,
  }));
  return ok({ ...rangeView(range), totalUsers: now.users, achievements, periods });
}

function countOf(found: RangeCount[], no: number): number {
  return found.reduce((sum, row) => (row.no === no ? sum + row.count : sum), 0);
}

function meanDays(found: RangeCount[]): number | null {
  const users = found.reduce((sum, { count }) => sum + count, 0);
  const seconds = found.reduce((all, { sum }) => all + sum, 0);
  return users === 0 ? null : rounded(seconds / users / DAY_SECONDS, 2);
}

/** GET /admin/v1/analytics/achievements/{key} */
export async function getAchievementAnalytics(
  call: OperationRequest<typeof GetAchievementAnalytics>,
): Promise<OperationResponse<typeof GetAchievementAnalytics>> {
  const { service, rules, path, query } = call;
  const achievement = rules.achievementByKey.get(path.key);
  if (achievement === undefined) throw new ServiceError('notFound', `Achievement ${path.key} does not exist`);
  const range = readRange(call, query);
  const { tenant } = rules;
  const before = startOfLocalDay(range.timeZone, range.today - DAYS_AROUND);
  const [found, around] = await service.history.read(rules.tenant, (rows) =>
    Promise.all([
      readRangeCounts(rows, tenant, ['completions', 'completionDays'], range, achievement.no),
      readActivityAround(rows, tenant, achievement.no, {
        before,
        zone: range.timeZone,
        count: ANALYTICS_USERS_MAX,
      }),
    ]),
  );
  const days = found.filter(({ kind }) => kind === 'completionDays');
  return ok({
    ...rangeView(range),
    completions: countOf(
      found.filter(({ kind }) => kind === 'completions'),
      achievement.no,
    ),
    meanDaysToComplete: meanDays(days),
    timeToComplete: STEPS.map((fromDays, i) => ({
      fromDays,
      toDays: STEPS[i + 1] ?? null,
      users: days.reduce((sum, { detail, count }) => (detail === String(fromDays) ? sum + count : sum), 0),
    })),
    activity: activityAround(around),
  });
}

function activityAround(completions: CompletionActivity[]) {
  const users = completions.length;
  let [before, after] = [0, 0];
  for (const { day, firstDay, bits } of completions) {
    if (firstDay === null || bits === null) continue;
    before += countActive({ firstDay, bits }, day - DAYS_AROUND, day - 1);
    after += countActive({ firstDay, bits }, day + 1, day + DAYS_AROUND);
  }
  return {
    users,
    daysBefore: users === 0 ? null : rounded(before / users, 2),
    daysAfter: users === 0 ? null : rounded(after / users, 2),
  };
}
