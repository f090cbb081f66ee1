import Type from 'typebox';
import { Count, formatQuery, Rate } from './analytics.ts';
import { operation } from './operation.ts';
import { cohortQuery } from './retention.ts';
import { boolean, calendarDate, integer, named, nullable, number } from './schemas.ts';

/** What the experiment says, from what is known so far. */
export const EXPERIMENT_OUTCOMES = ['untrusted', 'waiting', 'better', 'worse', 'same'] as const;

const Verdict = Type.Object(
  {
    week: integer(
      'The only week that counts: the last one that begins within `userActivationWindow` days, at least 1.',
    ),
    outcome: Type.Enum([...EXPERIMENT_OUTCOMES], {
      description:
        '`untrusted`: the shares of the groups are wrong. `waiting`: more users are needed. `better`, `worse`: treated users come back more or less often. `same`: no difference was found.',
    }),
    difference: number('Difference of the rates that is found four times in five.'),
    usersNeeded: integer(
      'Number of further users, in both groups together, that it takes. 0 once there are enough.',
    ),
  },
  { description: 'null while one of the groups has no user whose week is over.' },
);

export const confidenceQuery = Type.Integer({
  minimum: 50,
  maximum: 99,
  default: 95,
  description: 'Confidence level of the interval, in percent.',
});

export const GetExperiment = operation({
  name: 'getExperiment',
  route: 'GET /analytics/experiment',
  tag: 'Analytics',
  summary: 'Get what the features change: treated users against the control group',
  description:
    'Of users created in the same weeks, how many come back in each week. The interval is that of Newcombe (1998), method 10.',
  csv: 'weeks',
  query: Type.Object({
    ...cohortQuery,
    confidence: confidenceQuery,
    difference: Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 5,
      description: 'Difference of the rates that the verdict shall find, in percentage points.',
    }),
    ...formatQuery,
  }),
  responses: {
    200: named('ExperimentAnalytics', {
      timeZone: Type.String(),
      controlRatio: integer('Present percent of new users who are put into the control group.'),
      userActivationWindow: integer(
        'Days after the first event of a user that count as early, by the settings.',
      ),
      method: Type.String(),
      confidence: integer('Percent.'),
      verdict: nullable(Verdict),
      shares: nullable(
        Type.Object(
          {
            from: calendarDate('First day of the first week that counts.'),
            treatedUsers: Count,
            controlUsers: Count,
            probability: nullable(
              number('Of shares as far from `controlRatio` by chance. null with too few users to tell.'),
            ),
            isMismatch: boolean(
              '`probability` is below 0.001: something besides chance decides who is in the group.',
            ),
          },
          {
            description:
              'Users created in the weeks of the query, in whole weeks since the present share is in force. null without a control group.',
          },
        ),
      ),
      weeks: Type.Array(
        Type.Object({
          week: Count,
          isEarly: boolean('Whether the week begins within `userActivationWindow` days.'),
          treatedUsers: Count,
          treatedRetained: Count,
          treatedRate: nullable(Rate),
          controlUsers: Count,
          controlRetained: Count,
          controlRate: nullable(Rate),
          difference: nullable(number('`treatedRate` − `controlRate`.')),
          differenceLow: nullable(Type.Number()),
          differenceHigh: nullable(Type.Number()),
          lift: nullable(number('`difference` / `controlRate`.')),
          isSignificant: boolean('Whether the confidence interval of the difference excludes 0.'),
        }),
      ),
    }),
  },
});
