import Type from 'typebox';
import { AuditReason } from './adminFields.ts';
import { operation } from './operation.ts';
import { CalendarDate, Uuid } from './schemas.ts';

/** What an administrator does to the runs of a leaderboard. */

const path = Type.Object({ id: Uuid });
const common = { tag: 'Leaderboards', access: 'admin', role: 'operate', path, mayMiss: true } as const;
const paused = (description: string) => Type.Object({ paused: Type.Boolean({ description }) });

export const EndRun = operation({
  ...common,
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
  responses: { 200: Type.Object({ start: CalendarDate, end: CalendarDate }, { $id: 'ChangedRun' }) },
});

export const PauseLeaderboard = operation({
  ...common,
  summary: 'Pause a leaderboard',
  description:
    'Scores stay as they are. What is recorded during the pause, or happened in it, does not count, except in totals and streaks, which the ' +
    'leaderboard shows again when it is resumed. Runs begin and end as before. Pausing again changes nothing.',
  request: Type.Object({ reason: AuditReason }, { examples: [{ reason: 'The app counts twice' }] }),
  responses: { 200: paused('True.') },
});

export const ResumeLeaderboard = operation({
  ...common,
  summary: 'Resume a paused leaderboard',
  description: 'Resuming again changes nothing.',
  request: Type.Object({ reason: AuditReason }, { examples: [{ reason: 'The app is repaired' }] }),
  responses: { 200: paused('False.') },
});
