import Type from 'typebox';
import { LEADERBOARD_PARTICIPANTS_MAX } from '../base/limits.ts';
import { REWARD_POINTS_MAX } from '../base/rewardLimits.ts';
import { idOf, optional } from './adminFields.ts';
import { Fields, reference, whole } from './configFields.ts';
import { REWARD_PROMOTED, REWARD_TIER } from './leagues.ts';
import { boolean, number, text } from './schemas.ts';

/** Rewards of a leaderboard (docs/leaderboards.md). */

/** What users get who meet all conditions at the end of a run: points or an achievement. */
export interface Reward {
  /** Ranks, both inclusive. Null for every rank. */
  from: number | null;
  to: number | null;
  /** Key of the tier in which the run was played; with `promoted`, of the tier that is reached. */
  tier: string | null;
  /** Only users who go up a tier. */
  promoted: boolean;
  points: { systemId: string; amount: number } | null;
  achievementId: string | null;
}

/** In a configuration file. */
export const RewardItem = Fields({
  from: Type.Optional(
    whole('First rank. Needed without `tier` and `promoted`.', 1, LEADERBOARD_PARTICIPANTS_MAX),
  ),
  to: Type.Optional(whole('Last rank. Needed with `from`.', 1, LEADERBOARD_PARTICIPANTS_MAX)),
  tier: reference(REWARD_TIER),
  promoted: Type.Optional(boolean(REWARD_PROMOTED)),
  points: Type.Optional(
    Fields(
      {
        system: text('Key of the points system.'),
        amount: whole('Points. Boosts do not apply.', 1, REWARD_POINTS_MAX),
      },
      { description: 'Points that each of these users gets.' },
    ),
  ),
  achievement: reference(
    'Key of the achievement that each of these users completes, instead of `points`. Its trigger is `api`.',
  ),
});

/** In the Admin API. */
export const RewardInput = Type.Object({
  from: optional(number('First rank, from 1. Needed without `tier` and `promoted`.')),
  to: optional(number('Last rank. Needed with `from`.')),
  tier: optional(text(REWARD_TIER)),
  promoted: optional(boolean(REWARD_PROMOTED)),
  points: optional(
    Type.Object({
      systemId: idOf('the points system'),
      amount: number('Points. Boosts do not apply.'),
    }),
  ),
  achievementId: optional(idOf('the achievement, which has the trigger `api`. Instead of `points`')),
});
