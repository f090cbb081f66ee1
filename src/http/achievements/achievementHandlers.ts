import { ServiceError } from '../../base/errors.ts';
import { completionId } from '../../base/ids.ts';
import { percentage } from '../../base/numbers.ts';
import {
  type AchievementWithStatsResponse,
  CompleteAchievement,
  ListAchievements,
  ListUserAchievements,
  type UserAchievementWithStatsResponse,
} from '../../contract/achievement.ts';
import type { AchievementStatistics } from '../../redis/state/statistics.ts';
import type { Achievement } from '../../rules/config.ts';
import { matchesAll } from '../../rules/inForce/filters.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { achievementView } from '../../views/entityViews.ts';
import { pointsJson } from '../../views/pointsJson.ts';
import { isPublic, isShownTo, userAchievementView } from '../../views/userAchievements.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { readUserAttributes } from '../request/find.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';

/** With completions and rarity, the percentage of users who completed it, to two decimals. */
function withStatistics(
  rules: Rules,
  achievement: Achievement,
  statistics: AchievementStatistics,
): AchievementWithStatsResponse {
  const completions = statistics.completions.get(achievement.no) ?? 0;
  const rarity = statistics.users === 0 ? 0 : percentage(completions, statistics.users);
  return { ...achievementView(rules, achievement), completions, rarity };
}

export const listAchievements = endpoint(ListAchievements, async ({ service, rules, query }) => {
  const given = readUserAttributes(rules, query.userAttributes);
  const statistics = await service.statistics.read(rules.tenant);
  const shown = rules.config.achievements.filter(
    (achievement) =>
      isPublic(achievement) && (given === null || matchesAll(rules, achievement.userAttributes, given)),
  );
  return ok(shown.map((achievement) => withStatistics(rules, achievement, statistics)));
});

export const listUserAchievements = endpoint(ListUserAchievements, async (call) => {
  return ok(await userAchievements(await beginReading(call), call.query.includeIncomplete));
});

/** The achievements of a user with their statistics. */
export async function userAchievements(
  { service, rules, user, now }: UserReading,
  includeIncomplete: boolean,
): Promise<UserAchievementWithStatsResponse[]> {
  const statistics = await service.statistics.read(rules.tenant);
  const shown = rules.config.achievements.filter(
    (achievement) =>
      (includeIncomplete || user.achievements.has(achievement.no)) && isShownTo(achievement, user),
  );
  return shown.map((achievement) => ({
    ...userAchievementView(rules, achievement, user, now),
    ...withStatistics(rules, achievement, statistics),
  }));
}

/** Completes an achievement of trigger `api`; again, it answers with the first time. */
export const completeAchievement = endpoint(
  CompleteAchievement,
  async ({ service, key: caller, rules: current, path: { key }, body }) => {
    if (caller.token?.metrics)
      throw new ServiceError('forbidden', 'A token with the claim metrics must not complete achievements');
    const { id: userId, ...profile } = body.user;
    const { user, outcome, rules } = await service.users.complete(current, userId, profile, key);
    const achievement = rules.achievementByKey.get(key)!;
    const completedAt = user.achievements.get(achievement.no)!;
    const id = completionId(rules.tenant, userId, achievement.no, completedAt);
    const isFirst = outcome.status === 'recorded' && outcome.completed.includes(achievement.no);
    const changes = isFirst ? outcome.points : [];
    return {
      status: 201,
      body: {
        completionId: id,
        achievement: userAchievementView(rules, achievement, user, service.clock.now()),
        points: JSON.parse(pointsJson(rules, changes, id, new Date(completedAt).toISOString())),
      },
    };
  },
);
