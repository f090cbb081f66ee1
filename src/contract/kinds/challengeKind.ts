import Type from 'typebox';
import { CHALLENGES_MAX, CLAIM_DAYS_MAX, GOALS_MAX } from '../../base/challengeLimits.ts';
import { INTERVAL_MAX } from '../../base/limits.ts';
import { EXAMPLE_ID } from '../adminFields.ts';
import { CHALLENGE_UNITS, CLAIMING, JOINING } from '../challenge.ts';
import { challengeRewards, completionRule, goals } from './challengeFields.ts';
import { byDefault, derived, fixed, nullable, section, shownIfSet } from './fieldModifiers.ts';
import { date, image, key, name, oneOf, text, userCondition, whole } from './fields.ts';
import { kind } from './kind.ts';

export const CHALLENGE = kind({
  name: 'Challenges',
  list: 'challenges',
  meaning: 'Goals that users can reach within a day, a week or another time.',
  path: '/challenges',
  tag: 'Challenges',
  one: 'challenge',
  limit: CHALLENGES_MAX,
  fields: {
    ...section(null, { key: key('Key of the challenge.'), name: name() }),
    ...section('Goals', {
      goals: goals(`What users reach within a run: 1 to ${GOALS_MAX} goals.`),
      complete: completionRule(
        'When the challenge is completed: `all` goals of the user are reached, `any` of them, or at least so many.',
      ),
      pick: shownIfSet(
        whole(
          'How many of the goals each user gets in a run. They are drawn anew for each run, and are not the same ones twice in a row. Default: all.',
          { minimum: 1, maximum: GOALS_MAX },
        ),
      ),
      where: shownIfSet(
        userCondition(
          'Only users for whom this condition holds at an event take part. It may look at `user` only.',
        ),
      ),
      join: byDefault(
        'automatic',
        oneOf(
          JOINING,
          'Who takes part: every user (`automatic`), or users who have joined the run (`optIn`), with events after that.',
        ),
      ),
    }),
    ...section('Schedule', {
      start: fixed(derived(date('First day. Default: the day on which the challenge is created.'))),
      end: shownIfSet(date('Last day. Without it the challenge does not end.')),
      runUnit: fixed(
        shownIfSet({
          ...oneOf(
            CHALLENGE_UNITS,
            'Unit of `runInterval`, in the time zone of each user; weeks begin on Monday. Without it the challenge has one run.',
          ),
          shown: Type.Enum(CHALLENGE_UNITS),
        }),
      ),
      runInterval: fixed(
        shownIfSet(
          whole('Length of a run in `runUnit`. Required with `runUnit`.', {
            minimum: 1,
            maximum: INTERVAL_MAX,
          }),
        ),
      ),
      status: byDefault(
        'active',
        oneOf(['inactive', 'active'], 'Only in an active challenge events count.'),
        {
          inApi: 'inactive',
        },
      ),
    }),
    ...section('Rewards', {
      rewards: shownIfSet(challengeRewards('What a user gets who completes the challenge, once in a run.')),
      claim: byDefault(
        'automatic',
        oneOf(
          CLAIMING,
          'When the rewards are given: with the completion (`automatic`), or when the user claims them (`manual`).',
        ),
      ),
      claimDays: shownIfSet(
        whole(
          'For how many days (of 24 hours) after the completion rewards can be claimed. Only with `claim: manual`. In any case they lapse with the end of the run after.',
          { minimum: 1, maximum: CLAIM_DAYS_MAX },
        ),
      ),
    }),
    ...section('Appearance', { description: nullable(text('Text shown to users.')), badgeUrl: image() }),
  },
  examples: [
    {
      key: 'weekly',
      name: 'A good week',
      start: '2026-11-16',
      runUnit: 'week',
      runInterval: 1,
      goals: [
        { key: 'lessons', name: 'Ten lessons', metricId: EXAMPLE_ID, aggregate: 'count', target: 10 },
        { key: 'days', name: 'On three days', metricId: EXAMPLE_ID, aggregate: 'days', target: 3 },
      ],
      rewards: { points: [{ systemId: EXAMPLE_ID, points: 50 }] },
      status: 'active',
    },
  ],
});
