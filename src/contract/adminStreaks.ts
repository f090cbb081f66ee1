import Type from 'typebox';
import { TEXT_CHARS_MAX } from '../base/limits.ts';
import { AdminIssue, BATCH, DeletedResource, idsQuery, issues } from './admin.ts';
import { EndDate, StartDate, Text } from './adminFields.ts';
import { operation } from './operation.ts';
import { CalendarDate, named, text, Uuid } from './schemas.ts';

const Reason = Type.Optional(
  Type.String({ maxLength: TEXT_CHARS_MAX, description: 'For the audit log and the timeline.' }),
);

/** The official client uses other names for severity and message. */
const UserIssue = named('AdminUserIssue', {
  ...AdminIssue.properties,
  userId: text('Id of the user that the item names.'),
  level: Type.Enum(['error', 'warning'], { description: 'Same as `severity`.' }),
  reason: text('Same as `message`.'),
});
export type UserIssue = Type.Static<typeof UserIssue>;
export const userIssues = Type.Array(UserIssue);

const freezesAnswer = Type.Object({ issues: userIssues });
export const CreateFreezes = operation({
  name: 'createFreezes',
  route: 'POST /streaks/freezes',
  role: 'operate',
  tag: 'Streaks',
  isPublished: true,
  summary: 'Give streak freezes',
  description: 'Gives one freeze for each item. The status is 201 if any was given, else 200.',
  request: Type.Object(
    { freezes: Type.Array(Type.Object({ userId: Text }), BATCH), reason: Reason },
    { examples: [{ freezes: [{ userId: 'ada' }, { userId: 'bob' }], reason: 'After the outage' }] },
  ),
  responses: { 200: freezesAnswer, 201: freezesAnswer },
});

export const AdminStreakPause = named('AdminStreakPause', {
  id: Uuid,
  userId: Text,
  start: CalendarDate,
  end: CalendarDate,
  status: Type.Enum(['active', 'archived']),
});
export type AdminStreakPause = Type.Static<typeof AdminStreakPause>;

const pausesAnswer = Type.Object({ created: Type.Array(AdminStreakPause), issues });
export const CreatePauses = operation({
  name: 'createPauses',
  route: 'POST /streaks/pauses',
  role: 'operate',
  tag: 'Streaks',
  isPublished: true,
  summary: 'Pause streaks',
  description:
    'A pause can begin today, in the time zone of the user, or later. Both dates are included. The status is 201 if any ' +
    'pause was created, else 200.',
  request: Type.Object(
    {
      pauses: Type.Array(Type.Object({ userId: Text, start: StartDate, end: EndDate }), BATCH),
      reason: Reason,
    },
    { examples: [{ pauses: [{ userId: 'ada', start: '2026-12-21', end: '2026-12-27' }] }] },
  ),
  responses: { 200: pausesAnswer, 201: pausesAnswer },
});

export const DeletePauses = operation({
  name: 'deletePauses',
  route: 'DELETE /streaks/pauses',
  role: 'operate',
  tag: 'Streaks',
  isPublished: true,
  summary: 'Delete pauses',
  query: idsQuery,
  responses: { 200: Type.Object({ deleted: Type.Array(DeletedResource), issues }) },
});

const restoreAnswer = Type.Object({ restoredUsers: Type.Array(Type.String()), issues: userIssues });
export const RestoreStreaks = operation({
  name: 'restoreStreaks',
  route: 'POST /streaks/restore',
  role: 'operate',
  tag: 'Streaks',
  isPublished: true,
  summary: 'Restore lost streaks',
  description:
    'Restores the length that was lost last and adds what was reached since. The status is 201 if any streak was ' +
    'restored, else 200.',
  request: Type.Object(
    { users: Type.Array(Type.Object({ id: Text }), BATCH), reason: Reason },
    { examples: [{ users: [{ id: 'ada' }], reason: 'The app was down' }] },
  ),
  responses: { 200: restoreAnswer, 201: restoreAnswer },
});

export const ResetStreaks = operation({
  name: 'resetStreaks',
  route: 'POST /streaks/reset',
  role: 'operate',
  tag: 'Streaks',
  summary: 'Reset streaks',
  description:
    'Ends the current streak of each user at once. Freezes and pauses stay. `POST /admin/v1/streaks/restore` brings the streak ' +
    'back. An unknown user is an issue of severity `error`, a user without a streak one of severity `warning`.',
  request: Type.Object(
    {
      users: Type.Array(Type.Object({ id: Text }), BATCH),
      reason: Reason,
    },
    { examples: [{ users: [{ id: 'ada' }], reason: 'Recorded by a script' }] },
  ),
  responses: { 200: Type.Object({ resetUsers: Type.Array(Type.String()), issues: userIssues }) },
});
