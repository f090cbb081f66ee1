import Type from 'typebox';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../base/limits.ts';
import { Reason } from './adminFields.ts';
import { Block } from './blockedUsers.ts';
import { operation } from './operation.ts';
import {
  boolean,
  calendarDate,
  Instant,
  integer,
  keyPath,
  named,
  nullable,
  number,
  text,
  userPath,
  uuid,
} from './schemas.ts';
import { User, UserId } from './user.ts';

/** Points that one adjustment gives or takes. */
const POINTS_ADJUSTMENT_MAX = 1_000_000_000;

export const AdminUser = named('AdminUser', {
  ...User.properties,
  lastActive: nullable(calendarDate("Day of the last event, in the tenant's time zone; null before any.")),
  block: nullable(Block),
});
export type AdminUser = Type.Static<typeof AdminUser>;

export const PointsAdjustment = named('PointsAdjustment', {
  id: uuid('Of the award.'),
  pointsSystem: text('Key.'),
  amount: Type.Integer(),
  awarded: integer('What it changed; less than `amount` at 0 or at the maximum.'),
  total: integer('After the adjustment.'),
  reason: Type.String(),
});
export type PointsAdjustment = Type.Static<typeof PointsAdjustment>;

/** Where the next page starts; opaque. */
export const cursorQuery = {
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2_000, description: '`cursor` of the previous page.' }),
  ),
};
export const nextCursor = nullable(text('Pass it to get the next page; null on the last one.'));

export const AdjustPoints = operation({
  name: 'adjustPoints',
  route: 'POST /users/{id}/points/{key}/adjustments',
  tag: 'Points',
  summary: 'Adjust the points of a user',
  description:
    'The total stays within 0 and the maximum of the system. The adjustment is an award of the trigger type `adjustment`. 202 if the ' +
    'idempotency key was used before: then nothing changed.',
  role: 'operate',
  path: Type.Object({ ...userPath, ...keyPath('points system') }),
  request: Type.Object(
    {
      amount: Type.Integer({
        minimum: -POINTS_ADJUSTMENT_MAX,
        maximum: POINTS_ADJUSTMENT_MAX,
        description: 'Negative takes points.',
      }),
      reason: Reason,
      idempotencyKey: Type.Optional(Type.String({ minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX })),
    },
    {
      examples: [
        { amount: 50, reason: 'Compensation for the outage of 21 November', idempotencyKey: 'ticket-4711' },
      ],
    },
  ),
  responses: { 201: PointsAdjustment, 202: PointsAdjustment },
});

export const RevokeAchievement = operation({
  name: 'revokeAchievement',
  route: 'POST /users/{id}/achievements/{key}/revoke',
  tag: 'Achievements',
  summary: 'Revoke a completed achievement',
  description:
    'Progress does not complete it again; an achievement with the trigger `api` can be completed through the API again. Points that it ' +
    'brought stay. Revoking again changes nothing.',
  role: 'operate',
  path: Type.Object({ ...userPath, ...keyPath('achievement') }),
  request: Type.Object({ reason: Reason }, { examples: [{ reason: 'Completed by a bot' }] }),
  responses: {
    200: named('RevokedAchievement', {
      achievement: text('Key.'),
      revoked: boolean('False if the user had not completed it.'),
    }),
  },
});

export const GrantAchievement = operation({
  name: 'grantAchievement',
  route: 'POST /users/{id}/achievements/{key}/grant',
  tag: 'Achievements',
  summary: 'Grant an achievement',
  description:
    'Completes an active achievement of any trigger, also one that was revoked. Achievements that require it, points and webhooks follow ' +
    'as from any completion. Granting again changes nothing.',
  role: 'operate',
  path: Type.Object({ ...userPath, ...keyPath('achievement') }),
  request: Type.Object({ reason: Reason }, { examples: [{ reason: 'Completed offline' }] }),
  responses: {
    200: named('GrantedAchievement', {
      achievement: text('Key.'),
      granted: boolean('False if the user had completed it before.'),
    }),
  },
});

export const CompleteChallenge = operation({
  name: 'completeChallenge',
  route: 'POST /users/{id}/challenges/{key}/complete',
  tag: 'Challenges',
  summary: 'Complete a challenge for a user',
  description:
    'Completes the present run of an active challenge, whatever its goals have. Rewards and webhooks follow as from any completion. ' +
    'Completing again changes nothing.',
  role: 'operate',
  path: Type.Object({ ...userPath, ...keyPath('challenge') }),
  request: Type.Object({ reason: Reason }, { examples: [{ reason: 'Completed offline' }] }),
  responses: {
    200: named('CompletedChallenge', {
      challenge: text('Key.'),
      completed: boolean('False if the user had completed it before.'),
    }),
  },
});

export const GetAdminUser = operation({
  name: 'getAdminUser',
  route: 'GET /users/{id}',
  tag: 'Users',
  summary: 'Get a user with the day of the last event',
  path: Type.Object(userPath),
  responses: { 200: AdminUser },
});

export const EraseUser = operation({
  name: 'eraseUser',
  route: 'DELETE /users/{id}',
  tag: 'Users',
  summary: 'Erase a user',
  description:
    'Removes everything that is stored about the user: profile, state, ranks on leaderboards, history, idempotency keys and ' +
    'application keys. The status is 200 if the erasure is complete, and 202 if a worker will complete it. Until then calls ' +
    'for this id are refused with 503. Afterwards the id belongs to a new user.',
  path: Type.Object(userPath),
  responses: {
    200: Type.Object({ id: Type.String(), status: Type.Literal('erased') }),
    202: Type.Object({ id: Type.String(), status: Type.Literal('accepted') }),
  },
});

const renamed = (status: 'renamed' | 'accepted') =>
  Type.Object({
    id: text('The new id.'),
    formerId: Type.String(),
    status: Type.Literal(status),
  });

export const RenameUser = operation({
  name: 'renameUser',
  route: 'POST /users/{id}/rename',
  tag: 'Users',
  summary: 'Give a user another id',
  description:
    'Everything that is stored about the user then has the new id: profile, state, ranks on leaderboards, history, events that are held, ' +
    'pending messages and application keys. An idempotency key that was used under the former id stays used. The status is 200 if ' +
    'everything is done, and 202 if a worker will do it. Meanwhile calls for both ids wait, and are refused with 503 after two seconds. ' +
    'Afterwards the former id belongs to a new user.',
  role: 'operate',
  path: Type.Object(userPath),
  request: Type.Object(
    { id: UserId, reason: Type.Optional(Reason) },
    { examples: [{ id: 'user-4711', reason: 'Signed up' }] },
  ),
  responses: { 200: renamed('renamed'), 202: renamed('accepted') },
});

const Rows = Type.Array(Type.Record(Type.String(), Type.Unknown()));

export const UserExport = named('UserExport', {
  user: nullable(User),
  state: nullable(
    Type.Object({
      counters: Type.Array(
        Type.Object({
          metric: Type.String(),
          eventAttributes: Type.Array(Type.Object({ key: Type.String(), value: Type.String() })),
          total: Type.Number(),
        }),
      ),
      points: Type.Record(Type.String(), Type.Number(), {
        description: 'Totals by key of the points system.',
      }),
      achievements: Type.Record(Type.String(), Instant, { description: 'When each was completed, by key.' }),
      timesCompleted: Type.Record(Type.String(), Type.Integer(), {
        description: 'How often those with `repeat` were completed, by key.',
      }),
      challengeCompletions: Type.Record(Type.String(), Type.Integer(), {
        description: 'How many runs of each challenge were completed, by key.',
      }),
      leaderboards: Type.Array(
        Type.Object({
          leaderboard: Type.String(),
          run: Type.String({ format: 'date' }),
          score: nullable(number('null without one.')),
          isRanked: Type.Boolean(),
          isHidden: boolean('By an administrator.'),
        }),
      ),
      streaks: Type.Record(Type.String(), Type.Unknown(), {
        description: 'State of each frequency. Days and periods are counted since 1970.',
      }),
      streakFreezes: Type.Integer(),
      streakPauses: Type.Array(Type.Unknown()),
    }),
  ),
  records: Type.Record(Type.String(), Rows, {
    description:
      'All rows of the user, by table. Configured items have their keys, deleted ones `#` and their number. Large numbers and dates are strings.',
  }),
});
export type UserExport = Type.Static<typeof UserExport>;

export const ExportUser = operation({
  name: 'exportUser',
  route: 'GET /users/{id}/export',
  tag: 'Users',
  summary: 'Export a user',
  description:
    'Answers everything that is stored about the user. `user` and `state` are null for an id of which only rows are stored, such as held events.',
  path: Type.Object(userPath),
  responses: { 200: UserExport },
});
