import { completionId } from '../base/ids.ts';
import { CompletionRequest } from '../contract/event.ts';
import { createValidator } from '../contract/validator.ts';
import { type AchievementStatistics, readAchievementStatistics } from '../redis/statistics.ts';
import type { Achievement } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import { type Answer, type Call, ok } from './endpoint.ts';
import { readPathUser } from './users.ts';
import { pointsJson } from './views/changes.ts';
import { achievementView, userAchievementView } from './views/entities.ts';

const validateCompletion = createValidator(CompletionRequest);

/** With completions and rarity, the percentage of users who completed it, to two decimals (spec: Achievement). */
function withStatistics(rules: Rules, achievement: Achievement, statistics: AchievementStatistics): object {
  const completions = statistics.completions.get(achievement.no) ?? 0;
  const rarity = statistics.users === 0 ? 0 : Math.round((completions / statistics.users) * 10_000) / 100;
  return { ...achievementView(rules, achievement), completions, rarity };
}

/** GET /achievements */
export async function listAchievements({ service, rules }: Call): Promise<Answer> {
  const statistics = await readAchievementStatistics(service.redis, rules.tenant, service.shards);
  const shown = rules.config.achievements.filter((achievement) => achievement.status !== 'inactive');
  return ok(shown.map((achievement) => withStatistics(rules, achievement, statistics)));
}

/** GET /users/{id}/achievements?includeIncomplete=true */
export async function listUserAchievements(call: Call): Promise<Answer> {
  const { service, query } = call;
  const includeIncomplete = query.boolean('includeIncomplete');
  const { user, rules } = await readPathUser(call);
  const statistics = await readAchievementStatistics(service.redis, rules.tenant, service.shards);
  const shown = rules.config.achievements.filter(
    (achievement) => user.achievements.has(achievement.no) || (includeIncomplete && achievement.status !== 'inactive'),
  );
  return ok(
    shown.map((achievement) => ({
      ...userAchievementView(rules, achievement, user),
      ...withStatistics(rules, achievement, statistics),
    })),
  );
}

/** POST /achievements/{key}/complete: completes an achievement of trigger `api`; again, it answers with the first time. */
export async function completeAchievement({ service, rules: current, parameters, body }: Call): Promise<Answer> {
  const { id: userId, ...profile } = validateCompletion(body).user;
  const key = parameters[0]!;
  const { user, outcome, rules, now } = await service.users.complete(current, userId, profile, key);
  const achievement = rules.achievementByKey.get(key)!;
  const id = completionId(rules.tenant, userId, achievement.no);
  const isFirst = outcome.status === 'recorded' && outcome.completed.includes(achievement.no);
  const changes = isFirst ? outcome.points : [];
  return {
    status: 201,
    body: {
      completionId: id,
      achievement: userAchievementView(rules, achievement, user),
      points: JSON.parse(pointsJson(rules, changes, id, new Date(now).toISOString())),
    },
  };
}
