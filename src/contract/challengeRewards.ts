import Type from 'typebox';
import { REWARDED_SYSTEMS_MAX } from '../base/challengeLimits.ts';
import { REWARD_POINTS_MAX } from '../base/rewardLimits.ts';
import { idOf, optional } from './adminFields.ts';
import { Fields, reference, whole } from './configFields.ts';
import { number, text } from './schemas.ts';

/** What a user gets who completes a challenge, once in a run. */
export interface ChallengeRewards {
  points: { systemId: string; points: number }[];
  achievementId: string | null;
}

const POINTS = 'Points of each of these systems. Boosts do not apply.';
const ACHIEVEMENT = 'the achievement, which has the trigger `api`';

/** In a configuration file. */
export const ChallengeRewardsItem = Fields({
  points: Type.Optional(
    Type.Array(
      Fields({
        system: text('Key of the points system.'),
        points: whole('Points.', 1, REWARD_POINTS_MAX),
      }),
      { maxItems: REWARDED_SYSTEMS_MAX, description: POINTS },
    ),
  ),
  achievement: reference(`Key of ${ACHIEVEMENT}.`),
});
export type FileChallengeRewards = Type.Static<typeof ChallengeRewardsItem>;

/** In the Admin API. */
export const ChallengeRewardsInput = Type.Object({
  points: optional(
    Type.Array(Type.Object({ systemId: idOf('the points system'), points: number('Points.') }), {
      description: POINTS,
    }),
  ),
  achievementId: optional(idOf(ACHIEVEMENT)),
});
export type ChallengeRewardsInput = Type.Static<typeof ChallengeRewardsInput>;
