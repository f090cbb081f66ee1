import Type from 'typebox';
import { Reason } from './adminFields.ts';
import { operation } from './operation.ts';
import { Instant, instant, named, nullable, text, userPath } from './schemas.ts';

/** Users whom an administrator has blocked (docs/guards.md). */

/** The block of a user as administrators see it. */
export const Block = named('Block', {
  until: nullable(instant('When the block ends; null if only `DELETE` ends it.')),
  reason: nullable(text('null while the request that blocks the user is not done.')),
  blockedAt: nullable(Instant),
});
export type Block = Type.Static<typeof Block>;

export const BlockUser = operation({
  name: 'blockUser',
  route: 'POST /users/{id}/block',
  tag: 'Users',
  summary: 'Block a user',
  description:
    'Events of the user are answered with 403 and the code `blocked`. The user is hidden on all leaderboards, and gets no emails and ' +
    'push notifications. Blocking again replaces reason and end.',
  role: 'operate',
  path: Type.Object(userPath),
  request: Type.Object(
    {
      reason: Reason,
      until: Type.Optional(
        instant('When the block ends: in the future, rounded up to the second. Default: never.'),
      ),
    },
    { examples: [{ reason: 'Scores of a bot', until: '2031-01-01T00:00:00Z' }] },
  ),
  responses: {
    200: Type.Object({ id: Type.String(), blocked: Type.Literal(true), until: nullable(Instant) }),
  },
});

export const UnblockUser = operation({
  name: 'unblockUser',
  route: 'DELETE /users/{id}/block',
  tag: 'Users',
  summary: 'Lift the block of a user',
  description:
    'The user returns to the rankings of current runs, behind users with an equal score. A user who is not blocked stays as is.',
  role: 'operate',
  path: Type.Object(userPath),
  query: Type.Object({ reason: Type.Optional(Reason) }),
  responses: { 200: Type.Object({ id: Type.String(), blocked: Type.Literal(false) }) },
});
