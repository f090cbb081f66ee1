import { NEAR_USERS_MAX, QUALIFYING_SAMPLE_USERS_MAX } from '../../base/consoleLimits.ts';
import { GetAchievementFunnel } from '../../contract/achievementFunnel.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import { GetAchievementAnalytics, ListAchievementAnalytics } from '../../contract/progressAnalytics.ts';
import {
  type CompletionActivity,
  type RangeCount,
  readActivityAround,
  readCounts,
  readRangeCounts,
} from '../../db/analytics/readAnalytics.ts';
import { sampleUserStates, type UserSample } from '../../redis/state/currentStates.ts';
import { readAchievementStatistics } from '../../redis/state/statistics.ts';
import { achievementLadder, targetOf } from '../../rules/achievementLadder.ts';
import { countActive } from '../../rules/activeDays.ts';
import { startOfLocalDay } from '../../rules/calendar.ts';
import type { Achievement } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { STEPS } from '../../rules/steps.ts';
import { progressIfNear } from '../../views/userAchievements.ts';
import { namedView } from '../history/timelineView.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { findAchievement } from '../request/find.ts';
import { periodStarting, rangeView, rateOf, readRange, rounded } from './range.ts';

/** Users whose activity before and after an achievement is compared. */
const ANALYTICS_USERS_MAX = 1_000;

const DAY_SECONDS = 86_400;
/** Before and after a completion. */
const DAYS_AROUND = 14;

export const listAchievementAnalytics = endpoint(ListAchievementAnalytics, async (call) => {
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
});

function countOf(found: RangeCount[], no: number): number {
  return found.reduce((sum, row) => (row.no === no ? sum + row.count : sum), 0);
}

function meanDays(found: RangeCount[]): number | null {
  const users = found.reduce((sum, { count }) => sum + count, 0);
  const seconds = found.reduce((all, { sum }) => all + sum, 0);
  return users === 0 ? null : rounded(seconds / users / DAY_SECONDS, 2);
}

export const getAchievementAnalytics = endpoint(GetAchievementAnalytics, async (call) => {
  const { service, rules, path, query } = call;
  const achievement = findAchievement(rules, path.key);
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
    completions: found.reduce((sum, { kind, count }) => (kind === 'completions' ? sum + count : sum), 0),
    meanDaysToComplete: meanDays(days),
    timeToComplete: STEPS.map((fromDays, i) => ({
      fromDays,
      toDays: STEPS[i + 1] ?? null,
      users: days.reduce((sum, { detail, count }) => (detail === String(fromDays) ? sum + count : sum), 0),
    })),
    activity: activityAround(around),
  });
});

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

type Funnel = ResponseOf<typeof GetAchievementFunnel>;

export const getAchievementFunnel = endpoint(
  GetAchievementFunnel,
  async ({ service: { redis, cells, clock }, rules, path }) => {
    const achievement = findAchievement(rules, path.key);
    const [{ users, completions }, sample] = await Promise.all([
      readAchievementStatistics(redis, rules.tenant, cells),
      sampleUserStates(redis, rules.tenant, cells, QUALIFYING_SAMPLE_USERS_MAX),
    ]);
    const completionsOf = ({ no }: Achievement): number => completions.get(no) ?? 0;
    return ok({
      totalUsers: users,
      steps: stepsOf(achievementLadder(rules.config.achievements, achievement), users, completionsOf),
      neverCompleted: users - completionsOf(achievement),
      near: nearOf(rules, achievement, sample, clock.now()),
    });
  },
);

/** With several prerequisites, only the achievement itself has a step before it: the rarest of them. */
function stepsOf(
  ladder: Achievement[],
  users: number,
  completionsOf: (achievement: Achievement) => number,
): Funnel['steps'] {
  const last = ladder.at(-1)!;
  const hasOrder = last.trigger !== 'achievement';
  const before = hasOrder ? users : Math.min(users, ...ladder.slice(0, -1).map(completionsOf));
  return ladder.map((achievement, i) => {
    const { id, key, name, badgeUrl } = achievement;
    const earlier = hasOrder && i > 0 ? completionsOf(ladder[i - 1]!) : before;
    const completions = completionsOf(achievement);
    const lost = hasOrder || achievement === last ? Math.max(0, earlier - completions) : null;
    return { id, key, name, badgeUrl, target: targetOf(achievement), completions, lost };
  });
}

function nearOf(
  rules: Rules,
  achievement: Achievement,
  { users, sampled }: UserSample,
  now: number,
): Funnel['near'] {
  if (achievement.trigger === 'api' || achievement.trigger === 'anniversary') return null;
  const found = sampled.flatMap(({ id, state }) => {
    const current = progressIfNear(rules, achievement, state, now);
    return current === null ? [] : [{ id, name: state.name, current }];
  });
  found.sort((a, b) => b.current - a.current || (a.id < b.id ? -1 : 1));
  return {
    users: sampled.length === 0 ? 0 : Math.round((found.length / sampled.length) * users),
    sampled: sampled.length,
    examples: found.slice(0, NEAR_USERS_MAX),
  };
}
