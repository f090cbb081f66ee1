import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { AuditReason } from './adminFields.ts';
import { operation } from './operation.ts';
import {
  AttributePair,
  CalendarDate,
  calendarDate,
  Instant,
  keyPath,
  named,
  nullable,
  text,
  Uuid,
  userPath,
} from './schemas.ts';

/** What administrators do to leaderboards: their runs, their winners, and users who are hidden from them. */

const path = Type.Object({ id: Uuid });
const changesRuns = { tag: 'Leaderboards', role: 'operate', path } as const;
const paused = (description: string) => Type.Object({ paused: Type.Boolean({ description }) });

export const EndRun = operation({
  name: 'endRun',
  route: 'POST /leaderboards/{id}/end-run',
  ...changesRuns,
  summary: 'Change the last day of the present run',
  description:
    'Without `lastDay`, the run ends as early as possible: with the date that it is now in the earliest time zone, or in that of the ' +
    'leaderboard. The next run begins with the day after, and ends when it would have ended. Runs of which a part of the users has gone ' +
    'on to the next one stay as they are.',
  request: Type.Object(
    { lastDay: Type.Optional(CalendarDate), reason: AuditReason },
    // A misspelt day must not end the run at once.
    {
      additionalProperties: false,
      examples: [{ lastDay: '2026-12-24', reason: 'The finals are on Thursday' }],
    },
  ),
  responses: { 200: named('ChangedRun', { start: CalendarDate, end: CalendarDate }) },
});

export const PauseLeaderboard = operation({
  name: 'pauseLeaderboard',
  route: 'POST /leaderboards/{id}/pause',
  ...changesRuns,
  summary: 'Pause a leaderboard',
  description:
    'Scores stay as they are. What is recorded during the pause, or happened in it, does not count, except in totals and streaks, which the ' +
    'leaderboard shows again when it is resumed. Runs begin and end as before. Pausing again changes nothing.',
  request: Type.Object({ reason: AuditReason }, { examples: [{ reason: 'The app counts twice' }] }),
  responses: { 200: paused('True.') },
});

export const ResumeLeaderboard = operation({
  name: 'resumeLeaderboard',
  route: 'POST /leaderboards/{id}/resume',
  ...changesRuns,
  summary: 'Resume a paused leaderboard',
  description: 'Resuming again changes nothing.',
  request: Type.Object({ reason: AuditReason }, { examples: [{ reason: 'The app is repaired' }] }),
  responses: { 200: paused('False.') },
});

export const LeaderboardWinner = named('LeaderboardWinner', {
  run: Type.Object({ start: CalendarDate, end: CalendarDate, finalized: Instant }),
  breakdownAttributeValues: Type.Array(AttributePair, {
    description: 'Attribute values of the group. Empty without breakdown attributes.',
  }),
  rank: Type.Integer(),
  userId: Type.String(),
  userName: nullable(Type.String()),
  value: Type.Number(),
});
export type LeaderboardWinner = Type.Static<typeof LeaderboardWinner>;

export const ListWinners = operation({
  name: 'listWinners',
  route: 'GET /leaderboards/{id}/winners',
  tag: 'Leaderboards',
  summary: 'List the winners of a leaderboard',
  description:
    'The first three users of every group of every final run, latest run first. A run becomes final 12 hours after its ' +
    'end in UTC. Erased users leave a gap.',
  path,
  query: Type.Object({
    run: Type.Optional(calendarDate('First day of a run. Default: all runs.')),
    ...pageQuery.properties,
  }),
  responses: { 200: Type.Array(LeaderboardWinner) },
});

const userOfLeaderboard = Type.Object({ ...userPath, ...keyPath('leaderboard') });

const hidden = (description: string) =>
  Type.Object({
    leaderboard: text('Key.'),
    hidden: Type.Boolean({ description }),
  });

export const HideUser = operation({
  name: 'hideUser',
  route: 'POST /users/{id}/leaderboards/{key}/hide',
  tag: 'Leaderboards',
  summary: 'Hide a user from a leaderboard',
  description:
    'The user loses the rank in each run that is not final, and gets none in later runs. The score is still counted. Runs that are ' +
    'final stay as they are. The leaderboard must be scheduled or active. Hiding again changes nothing.',
  role: 'operate',
  path: userOfLeaderboard,
  request: Type.Object({ reason: AuditReason }, { examples: [{ reason: 'Scores of a bot' }] }),
  responses: { 200: hidden('True: the user is hidden.') },
});

export const ShowUser = operation({
  name: 'showUser',
  route: 'POST /users/{id}/leaderboards/{key}/show',
  tag: 'Leaderboards',
  summary: 'Show a hidden user on a leaderboard again',
  description:
    'The user gets the rank that the score of the current run gives, behind users with an equal score. Showing again changes nothing.',
  role: 'operate',
  path: userOfLeaderboard,
  request: Type.Object({ reason: AuditReason }, { examples: [{ reason: 'The scores were real' }] }),
  responses: { 200: hidden('False: the user is not hidden.') },
});

const HiddenUser = named('HiddenUser', { userId: Type.String(), reason: Type.String(), hiddenAt: Instant });

export const ListHiddenUsers = operation({
  name: 'listHidden',
  route: 'GET /leaderboards/{id}/hidden-users',
  tag: 'Leaderboards',
  summary: 'List the users who are hidden from a leaderboard',
  description: 'The latest first.',
  path,
  query: pageQuery,
  responses: { 200: Type.Array(HiddenUser) },
});
