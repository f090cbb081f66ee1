import Type from 'typebox';
import { INACTIVE_DAYS_MAX, STREAK_LENGTH_MAX } from '../base/consoleLimits.ts';
import { NAME_CHARS_MAX, USER_ID_CHARS_MAX, USERS_PER_READ_MAX } from '../base/limits.ts';
import { AdminUser, cursorQuery, nextCursor } from './adminUsers.ts';
import { operation } from './operation.ts';
import { boolean, integer, named, nullable, text, userAttributesQuery } from './schemas.ts';

/** A date parameter; days are those of the tenant's time zone. */
const DayParameter = (description: string) => Type.Optional(Type.String({ format: 'date', description }));
const KeyParameter = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, description }));
const IntegerParameter = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

const ListedUser = named('ListedUser', {
  ...AdminUser.properties,
  points: Type.Record(
    Type.String(),
    Type.Object({
      total: Type.Integer(),
      level: nullable(text('Key of the level.')),
    }),
    { description: 'By key of the points system.' },
  ),
  streak: integer('Length of the streak as of the last change of the user; 0 without one.'),
  lostStreak: integer(
    'Length that `POST /admin/v1/streaks/restore` would add; 0 if there is nothing to restore.',
  ),
  freezes: integer('Number of streak freezes.'),
  achievements: integer('Number of completed achievements.'),
});
export type ListedUser = Type.Static<typeof ListedUser>;

const filters = {
  ...userAttributesQuery,
  control: Type.Optional(boolean('Only users of the control group, or only the others.')),
  createdAfter: DayParameter('Only users created on this day or later.'),
  createdBefore: DayParameter('Only users created on this day or earlier.'),
  activeAfter: DayParameter('Only users whose last event was on this day or later.'),
  activeBefore: DayParameter('Only users whose last event was on this day or earlier.'),
  inactiveDays: IntegerParameter(
    INACTIVE_DAYS_MAX,
    'Only users whose last event was this many days ago or earlier.',
  ),
  points: KeyParameter(
    'Key of the points system of `pointsMin`, `pointsMax`, `level` and the order `points`.',
  ),
  pointsMin: IntegerParameter(Number.MAX_SAFE_INTEGER, 'Only users with at least this many points.'),
  pointsMax: IntegerParameter(Number.MAX_SAFE_INTEGER, 'Only users with at most this many points.'),
  level: KeyParameter('Only users who have this level of the points system; its key.'),
  streakMin: IntegerParameter(
    STREAK_LENGTH_MAX,
    'Only users whose streak has at least this length. A streak that ended in the last few days may count.',
  ),
  streakMax: IntegerParameter(STREAK_LENGTH_MAX, 'Only users whose streak has at most this length.'),
  achievement: KeyParameter('Only users who have completed this achievement; its key.'),
  withoutAchievement: KeyParameter('Only users who have not completed this achievement; its key.'),
  streakLostOn: DayParameter('Only users who lost a streak on this day. A streak that was restored counts.'),
  blocked: Type.Optional(boolean('Only blocked users, or only the others.')),
};

export const ListUsers = operation({
  name: 'listUsers',
  route: 'GET /users',
  tag: 'Users',
  summary: 'List and search users',
  description:
    'One call examines a limited number of users. With a filter that few users match, a page may hold fewer users than `limit`, ' +
    'even none, while `cursor` is not null. Continue with `cursor` then.',
  query: Type.Object({
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: USER_ID_CHARS_MAX,
        description:
          'Start of the id, or of a word in the first 100 characters of the name or the email address. Upper and lower case of names and addresses are the same.',
      }),
    ),
    ...filters,
    sort: Type.Optional(
      Type.Enum(
        ['created', 'active', 'inactive', 'id', 'points', 'streak', 'achievement', 'lost', 'blocked'],
        {
          description:
            '`created`, `active`, `achievement` (completed), `lost` (the streak on `streakLostOn`) and `blocked` (with `blocked=true`) begin ' +
            'with the newest, `inactive` with the least recently active, `points` and ' +
            '`streak` with the highest. All but `created` and `id` leave out users without a value. Default: `achievement`, `lost`, ' +
            '`blocked`, `points` or `streak` if a filter of that name needs a value above 0, `active` with `inactiveDays`, else ' +
            '`created`. Not together with `query`.',
        },
      ),
    ),
    limit: Type.Integer({ minimum: 1, maximum: USERS_PER_READ_MAX, default: 20 }),
    ...cursorQuery,
  }),
  responses: {
    200: named('AdminUserPage', {
      total: integer('Number of all users, whatever the filter.'),
      users: Type.Array(ListedUser),
      cursor: nextCursor,
    }),
  },
});
