import Type from 'typebox';
import { GOALS_MAX } from '../../base/challengeLimits.ts';
import { type Goal, GoalInput, GoalItem } from '../challengeGoals.ts';
import { type ChallengeRewards, ChallengeRewardsInput, ChallengeRewardsItem } from '../challengeRewards.ts';
import { CompletionRule } from '../completionRule.ts';
import { defaultField, field, optional } from './fields.ts';

/** The fields that only a challenge has. */

/** What is to be reached within a run. */
export const goals = (description: string) =>
  field<Goal[]>()({
    type: 'goals',
    description,
    inFile: (text) => Type.Array(GoalItem, { minItems: 1, maxItems: GOALS_MAX, description: text }),
    given: (text) => Type.Array(GoalInput, { description: text }),
    shown: Type.Array(GoalInput),
  });

/** How many of the goals must be reached. */
export const completionRule = (description: string) =>
  defaultField<CompletionRule>()({
    type: 'completionRule',
    description,
    inFile: (text) => Type.Optional({ ...CompletionRule, description: text }),
    given: (text) => optional({ ...CompletionRule, description: text }),
    shown: CompletionRule,
    default: 'all',
  });

/** What is given for it. */
export const challengeRewards = (description: string) =>
  defaultField<ChallengeRewards | null>()({
    type: 'challengeRewards',
    description,
    inFile: (text) => Type.Optional({ ...ChallengeRewardsItem, description: text }),
    given: (text) => optional({ ...ChallengeRewardsInput, description: text }),
    shown: ChallengeRewardsInput,
    default: null,
  });
