import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { AuditReason } from './adminFields.ts';
import { operation } from './operation.ts';
import { Instant, keyPath, Uuid, userPath } from './schemas.ts';

/** Users whom an administrator has hidden from a leaderboard. */

const path = Type.Object({ ...userPath, ...keyPath('leaderboard') });

const changed = (description: string) =>
  Type.Object({
    leaderboard: Type.String({ description: 'Key.' }),
    hidden: Type.Boolean({ description }),
  });

export const HideUser = operation({
  tag: 'Leaderboards',
  summary: 'Hide a user from a leaderboard',
  description:
    'The user loses the rank in each run that is not final, and gets none in later runs. The score is still counted. Runs that are ' +
    'final stay as they are. The leaderboard must be scheduled or active. Hiding again changes nothing.',
  access: 'admin',
  role: 'operate',
  path,
  request: Type.Object({ reason: AuditReason }, { examples: [{ reason: 'Scores of a bot' }] }),
  responses: { 200: changed('True: the user is hidden.') },
  mayMiss: true,
});

export const ShowUser = operation({
  tag: 'Leaderboards',
  summary: 'Show a hidden user on a leaderboard again',
  description:
    'The user gets the rank that the score of the current run gives, behind users with an equal score. Showing again changes nothing.',
  access: 'admin',
  role: 'operate',
  path,
  request: Type.Object({ reason: AuditReason }, { examples: [{ reason: 'The scores were real' }] }),
  responses: { 200: changed('False: the user is not hidden.') },
  mayMiss: true,
});

export const HiddenUser = Type.Object(
  { userId: Type.String(), reason: Type.String(), hiddenAt: Instant },
  { $id: 'HiddenUser' },
);
export type HiddenUser = Type.Static<typeof HiddenUser>;

export const ListHiddenUsers = operation({
  tag: 'Leaderboards',
  summary: 'List the users who are hidden from a leaderboard',
  description: 'The latest first.',
  access: 'admin',
  path: Type.Object({ id: Uuid }),
  query: pageQuery,
  responses: { 200: Type.Array(HiddenUser) },
  mayMiss: true,
});
