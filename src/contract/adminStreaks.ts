import Type from 'typebox';
import { AdminIssue, BATCH, DeletedResource, idsQuery, issues } from './admin.ts';
import { EndDate, StartDate, Text } from './adminFields.ts';
import { operation } from './operation.ts';
import { CalendarDate, Uuid } from './schemas.ts';

const common = { tag: 'Streaks', access: 'admin' } as const;

/** The official client knows severity and message by other names. */
const UserIssue = Type.Object(
  {
    ...AdminIssue.properties,
    userId: Type.String({ description: 'Of the user whom the item names.' }),
    level: Type.Enum(['error', 'warning'], { description: 'The same as `severity`.' }),
    reason: Type.String({ description: 'The same as `message`.' }),
  },
  { $id: 'AdminUserIssue' },
);
export type UserIssue = Type.Static<typeof UserIssue>;
const userIssues = Type.Array(UserIssue);

const freezesAnswer = Type.Object({ issues: userIssues });
export const CreateFreezes = operation({
  ...common,
  summary: 'Give streak freezes',
  description: 'One for each item. 201 when any was given, else 200.',
  request: Type.Object(
    { freezes: Type.Array(Type.Object({ userId: Text }), BATCH) },
    { examples: [{ freezes: [{ userId: 'ada' }, { userId: 'bob' }] }] },
  ),
  responses: { 200: freezesAnswer, 201: freezesAnswer },
});

export const AdminStreakPause = Type.Object(
  { id: Uuid, userId: Text, start: CalendarDate, end: CalendarDate, status: Type.Enum(['active', 'archived']) },
  { $id: 'AdminStreakPause' },
);
export type AdminStreakPause = Type.Static<typeof AdminStreakPause>;

const pausesAnswer = Type.Object({ created: Type.Array(AdminStreakPause), issues });
export const CreatePauses = operation({
  ...common,
  summary: 'Pause streaks',
  description: 'From today on where the user is; both dates are paused. 201 when any was created, else 200.',
  request: Type.Object(
    { pauses: Type.Array(Type.Object({ userId: Text, start: StartDate, end: EndDate }), BATCH) },
    { examples: [{ pauses: [{ userId: 'ada', start: '2026-12-21', end: '2026-12-27' }] }] },
  ),
  responses: { 200: pausesAnswer, 201: pausesAnswer },
});

export const DeletePauses = operation({
  ...common,
  summary: 'Delete pauses of streaks',
  query: idsQuery,
  responses: { 200: Type.Object({ deleted: Type.Array(DeletedResource), issues }) },
});

const restoreAnswer = Type.Object({ restoredUsers: Type.Array(Type.String()), issues: userIssues });
export const RestoreStreaks = operation({
  ...common,
  summary: 'Restore lost streaks',
  description: 'To the length last lost, and what has been added since. 201 when any was restored, else 200.',
  request: Type.Object(
    { users: Type.Array(Type.Object({ id: Text }), BATCH) },
    { examples: [{ users: [{ id: 'ada' }] }] },
  ),
  responses: { 200: restoreAnswer, 201: restoreAnswer },
});
