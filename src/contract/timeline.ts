import Type from 'typebox';
import { TIMELINE_ITEMS_PER_READ_MAX } from '../base/limits.ts';
import { cursorQuery, nextCursor } from './adminUsers.ts';
import { CHALLENGE_STEPS } from './challenge.ts';
import { ChangedItem } from './changedItem.ts';
import { operation } from './operation.ts';
import { PointsTriggerResponse } from './points.ts';
import {
  boolean,
  CalendarDate,
  calendarDate,
  Double,
  Instant,
  integer,
  Named,
  named,
  nullable,
  text,
  Uuid,
  userPath,
  uuid,
} from './schemas.ts';
import { StreakFrequency } from './streak.ts';

/** What happened to one user. Everything that one event caused has the same `at` as the event. */

/** Order of items with the same `at`: causes first when read from the oldest. */
export const TIMELINE_KINDS = [
  'created',
  'event',
  'streak',
  'achievement',
  'challenge',
  'points',
  'rank',
  'result',
  'notification',
  'admin',
] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** A configured item with its current name. */

const item = <K extends TimelineKind, T extends Record<string, Type.TSchema>>(kind: K, fields: T) =>
  Type.Object({ kind: Type.Literal(kind), at: Instant, ...fields });

const Rank = nullable(integer('null if the user is not ranked.'));

export const TimelineItem = Type.Union(
  [
    item('created', {}),
    item('event', {
      eventId: Uuid,
      metric: Named,
      value: Double,
      total: Double,
      attributes: Type.Record(Type.String(), Type.String(), {
        description: 'Attributes of the event, by key.',
      }),
      origin: nullable(
        Type.Enum(['import', 'undo'], {
          description:
            '`import`: no event, but a total that an import has set. `undo`: an administrator has undone another event.',
        }),
      ),
      undoes: nullable(uuid('`undo`: the event that it undoes.')),
      undone: boolean('Whether an administrator has undone the event.'),
    }),
    item('streak', {
      change: Type.Enum(['extended', 'freezeUsed', 'pauseUsed', 'dayOff', 'freezeEarned', 'lost']),
      frequency: StreakFrequency,
      length: integer(
        'Length after the change. `lost`: the length that was lost. `freezeEarned`: the number of freezes.',
      ),
      periodStart: nullable(CalendarDate),
      periodEnd: nullable(CalendarDate),
    }),
    item('challenge', {
      change: Type.Enum(CHALLENGE_STEPS),
      challenge: Named,
      run: nullable(CalendarDate),
    }),
    item('achievement', {
      achievement: Named,
      badgeUrl: nullable(Type.String()),
      timesCompleted: Type.Optional(integer('How often by then. With `repeat` only.')),
    }),
    item('points', {
      id: Uuid,
      pointsSystem: Named,
      awarded: integer('Points awarded. Negative if points were taken.'),
      total: integer('Total after the award.'),
      trigger: nullable(PointsTriggerResponse),
      boosts: Type.Array(Type.String(), { description: 'Names of the boosts that multiplied the award.' }),
      reason: nullable(text('Of an adjustment.')),
    }),
    item('rank', {
      leaderboard: Named,
      run: CalendarDate,
      date: calendarDate('Day of the changes, in the time zone of the user.'),
      rank: Rank,
      previousRank: Rank,
      value: Double,
      previousValue: nullable(Double),
    }),
    item('result', { leaderboard: Named, run: CalendarDate, rank: Type.Integer(), value: Double }),
    item('notification', {
      type: Type.String(),
      channel: Type.String(),
      status: Type.String(),
      reason: nullable(Type.String()),
    }),
    item('admin', {
      actor: text('Prefix of the key, or the name of the command.'),
      actorName: nullable(text('Name of the key.')),
      action: Type.Enum(['create', 'update', 'delete']),
      subject: text('What was changed, as in the audit log.'),
      item: nullable(ChangedItem),
      before: nullable(Type.Record(Type.String(), Type.Unknown())),
      after: nullable(Type.Record(Type.String(), Type.Unknown())),
    }),
  ],
  { $id: 'TimelineItem' },
);
export type TimelineItem = Type.Static<typeof TimelineItem>;

export const GetUserTimeline = operation({
  name: 'getUserTimeline',
  route: 'GET /users/{id}/timeline',
  tag: 'Users',
  summary: 'Get what happened to a user, newest first',
  description:
    'Events, changes of the streak, achievements, points with their trigger, ranks of each day, ranks in finished runs, ' +
    'notifications, and changes by administrators. Events that are no longer kept are missing.',
  path: Type.Object(userPath),
  query: Type.Object({
    kinds: Type.Optional(
      Type.Array(Type.Enum([...TIMELINE_KINDS]), {
        minItems: 1,
        maxItems: TIMELINE_KINDS.length,
        description: 'Only these kinds. Default: all.',
      }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: TIMELINE_ITEMS_PER_READ_MAX, default: 50 }),
    ...cursorQuery,
  }),
  responses: { 200: named('TimelinePage', { items: Type.Array(TimelineItem), cursor: nextCursor }) },
});
