import Type from 'typebox';
import { DRAWN_USERS } from '../../base/challengeLimits.ts';
import { pageQuery } from '../admin.ts';
import { operation } from '../operation.ts';
import { CalendarDate, calendarDate, integer, named, nullable, text, Uuid } from '../schemas.ts';
import { ADMIN_RESOURCES } from './adminEntities.ts';

/** Runs of a challenge, and what its goals would be, for administrators (docs/challenges.md). */

export const ListChallengeRuns = operation({
  name: 'listChallengeRuns',
  route: 'GET /challenges/{id}/runs',
  tag: 'Challenges',
  summary: 'List the runs of a challenge with what users have reached in them',
  description:
    'The latest run first, from the one that has begun in the earliest time zone. Users who were erased since are counted, too. ' +
    'The numbers follow the events within seconds.',
  path: Type.Object({ id: Uuid }),
  query: pageQuery,
  responses: {
    200: Type.Array(
      named('ChallengeRunAnalytics', {
        run: calendarDate('First day.'),
        end: nullable(calendarDate('Last day; null if the run does not end.')),
        users: integer('Users of whom an event has counted in the run.'),
        goals: Type.Array(
          Type.Object({
            key: Type.String(),
            name: Type.String(),
            users: integer('Users who have reached the goal. With `pick`, only users with this goal count.'),
          }),
        ),
        completed: integer('Users who have completed the challenge.'),
        claimed: nullable(integer('Users who have claimed the rewards; null unless `claim` is `manual`.')),
        medianSeconds: nullable(
          integer(
            'Median time from the first event of a user that counted to the completion, within 5 %. null without completions.',
          ),
        ),
      }),
    ),
  },
});

const { start, runUnit, runInterval, pick } = ADMIN_RESOURCES.challenges.create.properties;

export const DrawGoals = operation({
  name: 'drawGoals',
  route: 'POST /challenges/draw',
  tag: 'Challenges',
  summary: 'Get the goals that users would get of a challenge with `pick`',
  description: `For the first ${DRAWN_USERS} users by id, in the present run and in the next one, by the date of the default time zone. The challenge need not exist; nothing is stored.`,
  role: 'read',
  request: Type.Object(
    {
      id: Type.Optional({ ...Uuid, description: 'Id of the challenge, if it exists.' }),
      start: Type.Optional({ ...start, format: 'date' }),
      runUnit,
      runInterval,
      pick,
      goals: Type.Array(Type.Object({ key: text('Key of the goal.'), name: text('Name of the goal.') }), {
        minItems: 1,
      }),
    },
    {
      examples: [
        {
          runUnit: 'day',
          runInterval: 1,
          pick: 1,
          goals: [
            { key: 'lessons', name: 'Ten lessons' },
            { key: 'minutes', name: 'An hour' },
          ],
        },
      ],
    },
  ),
  responses: {
    200: Type.Array(
      named('DrawnGoals', {
        id: text('Of the user.'),
        name: nullable(Type.String()),
        runs: Type.Array(
          Type.Object({
            run: CalendarDate,
            goals: Type.Array(Type.Object({ key: Type.String(), name: Type.String() })),
          }),
        ),
      }),
    ),
  },
});
