import { ServiceError } from '../../base/errors.ts';
import { completionId } from '../../base/ids.ts';
import { percentage } from '../../base/numbers.ts';
import { WrittenJson, writeList, writeObject } from '../../base/writtenJson.ts';
import {
  type AchievementWithStatsResponse,
  CompleteAchievement,
  ListAchievements,
  ListUserAchievements,
  type UserAchievementWithStatsResponse,
} from '../../contract/achievement.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import type { AchievementStatistics } from '../../redis/state/statistics.ts';
import type { Achievement } from '../../rules/config.ts';
import { matchesAll } from '../../rules/inForce/filters.ts';
import { getFragments } from '../../views/fragments.ts';
import { pointsJson } from '../../views/pointsJson.ts';
import { isPublic, isShownTo, userAchievementJson } from '../../views/userAchievements.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { readUserAttributes } from '../request/find.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';

/** Fields with the completions and the rarity, the percentage of users who completed it, to two decimals. */
function statisticsJson({ no }: Achievement, { users, completions }: AchievementStatistics): string {
  const count = completions.get(no) ?? 0;
  return `,"completions":${count},"rarity":${users === 0 ? 0 : percentage(count, users)}`;
}

export const listAchievements = endpoint(ListAchievements, async ({ service, rules, query }) => {
  const given = readUserAttributes(rules, query.userAttributes);
  const statistics = await service.statistics.read(rules.tenant);
  const shown = rules.config.achievements.filter(
    (achievement) =>
      isPublic(achievement) && (given === null || matchesAll(rules, achievement.userAttributes, given)),
  );
  const { achievement: start } = getFragments(rules);
  const items = shown.map(
    (achievement) => `${start(achievement.no)}${statisticsJson(achievement, statistics)}}`,
  );
  return ok(writeList<AchievementWithStatsResponse>(items));
});

export const listUserAchievements = endpoint(ListUserAchievements, async (call) => {
  return ok(await userAchievements(await beginReading(call), call.query.includeIncomplete));
});

/** The achievements of a user with their statistics. */
export async function userAchievements(
  { service, rules, user, now }: UserReading,
  includeIncomplete: boolean,
): Promise<WrittenJson<UserAchievementWithStatsResponse[]>> {
  const statistics = await service.statistics.read(rules.tenant);
  const shown = rules.config.achievements.filter(
    (achievement) =>
      (includeIncomplete || user.achievements.has(achievement.no)) && isShownTo(achievement, user),
  );
  const items = shown.map((achievement) => {
    const start = userAchievementJson(rules, achievement, user, now);
    return `${start}${statisticsJson(achievement, statistics)}}`;
  });
  return writeList(items);
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
    const shown = userAchievementJson(rules, achievement, user, service.clock.now());
    const points = pointsJson(rules, changes, id, new Date(completedAt).toISOString());
    return {
      status: 201,
      body: writeObject<ResponseOf<typeof CompleteAchievement>>([
        ['completionId', id],
        ['achievement', new WrittenJson(`${shown}}`)],
        ['points', new WrittenJson(points)],
      ]),
    };
  },
);
