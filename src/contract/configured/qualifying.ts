import Type from 'typebox';
import { QUALIFYING_SAMPLE_USERS_MAX } from '../../base/consoleLimits.ts';
import { EXAMPLE_ID } from '../adminFields.ts';
import { operation } from '../operation.ts';
import { named, nullable } from '../schemas.ts';
import { ADMIN_RESOURCES } from './adminEntities.ts';

const { trigger, metricId, metricValue, streakLength, anniversaryYears, achievementIds } =
  ADMIN_RESOURCES.achievements.create.properties;
const { userAttributes, eventAttributes, where, aggregate, per } =
  ADMIN_RESOURCES.achievements.create.properties;

const Count = Type.Integer({ minimum: 0 });

export const CountQualifying = operation({
  name: 'countQualifying',
  route: 'POST /achievements/qualifying',
  tag: 'Achievements',
  summary: 'Count users who qualify for an achievement',
  description: `Of an achievement that need not exist. With more than ${QUALIFYING_SAMPLE_USERS_MAX} users it is estimated from a random sample.`,
  role: 'read',
  request: Type.Object(
    {
      trigger,
      metricId,
      metricValue,
      streakLength,
      anniversaryYears,
      achievementIds,
      userAttributes,
      eventAttributes,
      where,
      aggregate,
      per,
    },
    { examples: [{ trigger: 'metric', metricId: EXAMPLE_ID, metricValue: 10 }] },
  ),
  responses: {
    200: named('QualifyingUsers', {
      users: Type.Integer({ minimum: 0, description: 'All users.' }),
      sampled: Count,
      qualifying: nullable(
        Type.Integer({
          minimum: 0,
          description: 'Of all users. null for the trigger `api`.',
        }),
      ),
    }),
  },
});
