import { NEAR_USERS_MAX, QUALIFYING_SAMPLE_USERS_MAX } from '../../base/consoleLimits.ts';
import { ServiceError } from '../../base/errors.ts';
import type { GetAchievementFunnel } from '../../contract/achievementFunnel.ts';
import { sampleUserStates, type UserSample } from '../../redis/state/sampledStates.ts';
import { readAchievementStatistics } from '../../redis/state/statistics.ts';
import { achievementLadder, targetOf } from '../../rules/achievementLadder.ts';
import type { Achievement } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { progressIfNear } from '../../views/qualifies.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';

type Funnel = OperationResponse<typeof GetAchievementFunnel>['body'];

/** GET /admin/v1/analytics/achievements/{key}/funnel */
export async function getAchievementFunnel({
  service: { redis, cells },
  rules,
  path,
}: OperationRequest<typeof GetAchievementFunnel>): Promise<OperationResponse<typeof GetAchievementFunnel>> {
  const achievement = rules.achievementByKey.get(path.key);
  if (achievement === undefined) throw new ServiceError('notFound', `Achievement ${path.key} does not exist`);
  const [{ users, completions }, sample] = await Promise.all([
    readAchievementStatistics(redis, rules.tenant, cells),
    sampleUserStates(redis, rules.tenant, cells, QUALIFYING_SAMPLE_USERS_MAX),
  ]);
  const completionsOf = ({ no }: Achievement): number => completions.get(no) ?? 0;
  return ok({
    totalUsers: users,
    steps: stepsOf(achievementLadder(rules.config.achievements, achievement), users, completionsOf),
    neverCompleted: users - completionsOf(achievement),
    near: nearOf(rules, achievement, sample),
  });
}

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

function nearOf(rules: Rules, achievement: Achievement, { users, sampled }: UserSample): Funnel['near'] {
  if (achievement.trigger === 'api' || achievement.trigger === 'anniversary') return null;
  const found = sampled.flatMap(({ id, state }) => {
    const current = progressIfNear(rules, achievement, state);
    return current === null ? [] : [{ id, name: state.name, current }];
  });
  found.sort((a, b) => b.current - a.current || (a.id < b.id ? -1 : 1));
  return {
    users: sampled.length === 0 ? 0 : Math.round((found.length / sampled.length) * users),
    sampled: sampled.length,
    examples: found.slice(0, NEAR_USERS_MAX),
  };
}
