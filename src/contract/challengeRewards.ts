import Type from 'typebox';
import { REWARD_BOOST, REWARD_FREEZES_MAX, REWARDED_SYSTEMS_MAX } from '../base/challengeLimits.ts';
import { REWARD_POINTS_MAX } from '../base/rewardLimits.ts';
import { idOf, optional } from './adminFields.ts';
import { Fields, reference, whole } from './configFields.ts';
import { number, text } from './schemas.ts';

/** A factor of the positive awards of a points system, for some hours of one user. */
export interface RewardBoost {
  systemId: string;
  multiplier: number;
  hours: number;
}

/** What a user gets who completes a challenge, once in a run. */
export interface ChallengeRewards {
  points: { systemId: string; points: number }[];
  achievementId: string | null;
  /** Freezes of the streak; null without any. */
  freezes: number | null;
  boost: RewardBoost | null;
}

const POINTS = 'Points of each of these systems. Boosts do not apply.';
const ACHIEVEMENT = 'the achievement, which has the trigger `api`';
const FREEZES = 'Freezes of the streak, up to the maximum of freezes.';
const BOOST = 'A boost for the user alone: it multiplies positive awards of a points system for some hours.';
const MULTIPLIER = 'Factor of positive awards. Factors of several boosts are multiplied.';
const HOURS = 'For how many hours from the reward on.';

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
  freezes: Type.Optional(whole(FREEZES, 1, REWARD_FREEZES_MAX)),
  boost: Type.Optional(
    Fields(
      {
        system: text('Key of the points system.'),
        multiplier: Type.Number({
          exclusiveMinimum: 1,
          exclusiveMaximum: REWARD_BOOST.below,
          description: MULTIPLIER,
        }),
        hours: whole(HOURS, 1, REWARD_BOOST.hoursMax),
      },
      { description: BOOST },
    ),
  ),
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
  freezes: optional(number(FREEZES)),
  boost: optional(
    Type.Object(
      {
        systemId: idOf('the points system'),
        multiplier: number(`${MULTIPLIER} Greater than 1, less than ${REWARD_BOOST.below}.`),
        hours: number(HOURS),
      },
      { description: BOOST },
    ),
  ),
});
export type ChallengeRewardsInput = Type.Static<typeof ChallengeRewardsInput>;
