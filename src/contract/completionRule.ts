import Type from 'typebox';

/** When a challenge is completed: all of its goals are reached, any of them, or at least so many. */
export type CompletionRule = 'all' | 'any' | { atLeast: number };

export const CompletionRule = Type.Unsafe<CompletionRule>(
  Type.Union([
    Type.Enum(['all', 'any']),
    Type.Object(
      { atLeast: Type.Integer({ description: 'How many of the goals.' }) },
      { additionalProperties: false },
    ),
  ]),
);

/** How many of the goals of a user must be reached. */
export function goalsNeeded(rule: CompletionRule, goals: number): number {
  if (rule === 'all') return goals;
  return rule === 'any' ? 1 : Math.min(rule.atLeast, goals);
}
