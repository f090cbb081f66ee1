import Type from 'typebox';
import { NEAR_USERS_MAX, QUALIFYING_SAMPLE_USERS_MAX } from '../base/consoleLimits.ts';
import { Count } from './analytics.ts';
import { operation } from './operation.ts';
import { integer, keyPath, named, nullable, number } from './schemas.ts';

const FunnelStep = Type.Object({
  id: Type.String(),
  key: Type.String(),
  name: Type.String(),
  badgeUrl: nullable(Type.String()),
  target: nullable(number('Total, streak or years to reach; null for other triggers.')),
  completions: integer('Users who have completed the achievement.'),
  lost: nullable(
    integer(
      'Users of the previous step (of the first step: all users) who have not completed this step. null for prerequisites, which have no order.',
    ),
  ),
});

const NearUsers = Type.Object({
  users: integer('Number of near users among all users.'),
  sampled: Count,
  examples: Type.Array(
    Type.Object({ id: Type.String(), name: nullable(Type.String()), current: Type.Number() }),
    { description: `Up to ${NEAR_USERS_MAX} of the sampled users, the nearest first.` },
  ),
});

export const GetAchievementFunnel = operation({
  name: 'getAchievementFunnel',
  route: 'GET /analytics/achievements/{key}/funnel',
  tag: 'Analytics',
  summary: 'Get the number of users who complete each achievement up to this one',
  description:
    'The steps are the achievements with the same trigger, metric and attributes, the lowest target first; or the prerequisites and the ' +
    'achievement itself. Inactive achievements are left out.',
  path: Type.Object(keyPath('achievement')),
  responses: {
    200: named('AchievementFunnel', {
      totalUsers: Count,
      steps: Type.Array(FunnelStep),
      neverCompleted: integer('Users who have not completed the achievement.'),
      near: nullable(
        Type.Object(NearUsers.properties, {
          description: `Users who have at least 90 % of the target and have not completed the achievement. With more than ${QUALIFYING_SAMPLE_USERS_MAX} users, the number is estimated from a random sample. null for the triggers \`api\` and \`anniversary\`.`,
        }),
      ),
    }),
  },
});
