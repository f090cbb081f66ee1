import Type from 'typebox';
import { INTERVAL_MAX, LEADERBOARD_PARTICIPANTS_MAX } from '../../base/limits.ts';
import { EXAMPLE_ID } from '../adminFields.ts';
import { RankedAggregateSchema } from '../conditions/conditionSchemas.ts';
import { nullable as orNull } from '../schemas.ts';
import {
  allowedFor,
  byDefault,
  derived,
  fixedOnceBegun,
  neededFor,
  section,
  shownIfSet,
} from './fieldModifiers.ts';
import {
  aggregate,
  condition,
  date,
  filter,
  idOf,
  key,
  league,
  name,
  oneOf,
  rewards,
  text,
  timeOfDay,
  timeZone,
  userAttributeIds,
  whole,
} from './fields.ts';
import { kind } from './kind.ts';

export const LEADERBOARD = kind({
  name: 'Leaderboards',
  list: 'leaderboards',
  meaning: 'Rankings of users.',
  path: '/leaderboards',
  tag: 'Leaderboards',
  isPublished: true,
  one: 'leaderboard',
  limit: 1_000,
  choice: 'rankBy',
  fields: {
    ...section(null, { key: key('Key of the leaderboard.'), name: name() }),
    ...section('Ranking', {
      ...fixedOnceBegun({
        rankBy: oneOf(
          ['metric', 'points', 'streak'],
          'What users are ranked by. A leaderboard of streaks has no runs.',
        ),
        metricId: neededFor('metric', idOf('metrics')),
        pointsSystemId: neededFor('points', idOf('pointsSystems')),
        eventAttributes: allowedFor(
          'metric',
          shownIfSet(filter('event', 'Only events with all of these attribute values count.')),
        ),
        where: allowedFor('metric', shownIfSet(condition())),
        aggregate: allowedFor('metric', shownIfSet(aggregate(RankedAggregateSchema))),
        aggregation: shownIfSet(
          byDefault(
            'sum',
            oneOf(
              ['sum', 'best', 'latest'],
              'Which score a run has: the sum of the values of its events, the best one, or the latest one. `best` and `latest` only with `rankBy: metric`.',
            ),
          ),
        ),
        sortOrder: shownIfSet(
          byDefault(
            'desc',
            oneOf(
              ['desc', 'asc'],
              'Whether higher (`desc`) or lower values are better. `asc` needs aggregation `best` or `latest`.',
            ),
          ),
        ),
        ties: shownIfSet(
          byDefault(
            'arrival',
            oneOf(
              ['arrival', 'shared'],
              'Whether equal scores rank by arrival, or share a rank (1, 2, 2, 4).',
            ),
          ),
        ),
        breakdownAttributes: userAttributeIds(
          'user attributes. Users with the same values form a group with its own ranking.',
        ),
      }),
      maxParticipants: {
        ...byDefault(
          LEADERBOARD_PARTICIPANTS_MAX,
          whole('Number of ranked users in each group.', {
            minimum: 1,
            maximum: LEADERBOARD_PARTICIPANTS_MAX,
          }),
        ),
        shown: orNull(Type.Integer()),
      },
    }),
    ...section('Schedule', {
      ...fixedOnceBegun({
        // Decides when runs begin, and the first day identifies a run.
        start: derived(date('First day. Default: the day on which the leaderboard is created.')),
      }),
      end: shownIfSet(date('Last day. Without it the leaderboard does not end.')),
      ...fixedOnceBegun({
        // A streak cannot be gained within a run, so such a leaderboard is perpetual.
        runUnit: allowedFor(
          ['metric', 'points'],
          shownIfSet({
            ...oneOf(
              ['day', 'week', 'month', 'year'],
              'Unit of `runInterval`; a `week` is stored and shown as 7 days from `start`, so it begins on a Monday if `start` is a Monday. Without it the leaderboard is perpetual: it has one run.',
            ),
            shown: Type.Enum(['day', 'month', 'year']),
          }),
        ),
        runInterval: allowedFor(
          ['metric', 'points'],
          shownIfSet(
            whole('Length of a run in `runUnit`. Required with `runUnit`.', {
              minimum: 1,
              maximum: INTERVAL_MAX,
            }),
          ),
        ),
        // With a daily window a leaderboard ranks gains, without one it may rank totals.
        startTime: shownIfSet(
          timeOfDay('Start of the daily window in which events count, in the time zone of the user.'),
        ),
        endTime: shownIfSet(timeOfDay('End of the daily window. It must differ from `startTime`.')),
        timeZone: shownIfSet(
          timeZone(
            'by whose dates runs begin and end for everybody. Without it, each user has runs by the own time zone. Not with `startTime`, `endTime` or `league`.',
          ),
        ),
      }),
      status: derived(
        oneOf(
          ['inactive', 'scheduled', 'active', 'finished'],
          'Default: `scheduled` if `start` is in the future, else `active` in a file and `inactive` in the API. `finished` ends an active leaderboard with today; a new one needs an `end` in the past for it.',
        ),
      ),
    }),
    ...section('Rewards', {
      rewards: shownIfSet(rewards('What ranks get when a run is final. Only with `runUnit` or `end`.')),
    }),
    ...section('League', { league: shownIfSet(league()) }),
    ...section('Appearance', { description: shownIfSet(text('Text shown to users.')) }),
  },
  derived: { paused: Type.Optional(Type.Literal(true)) },
  examples: [
    {
      key: 'weekly',
      name: 'Lessons this week',
      rankBy: 'metric',
      metricId: EXAMPLE_ID,
      maxParticipants: 100,
      start: '2026-11-16',
      runUnit: 'day',
      runInterval: 7,
      rewards: [{ from: 1, to: 3, points: { systemId: EXAMPLE_ID, amount: 500 } }],
      status: 'active',
    },
    {
      key: 'city-xp',
      name: 'XP by city',
      rankBy: 'points',
      pointsSystemId: EXAMPLE_ID,
      breakdownAttributes: [EXAMPLE_ID],
    },
  ],
});
