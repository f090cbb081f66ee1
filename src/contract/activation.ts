import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { operation } from './operation.ts';
import { Instant, nullable, Uuid } from './schemas.ts';

export const Activation = Type.Object(
  {
    activated: Type.Array(Type.Object({ kind: Type.Enum(['achievements', 'leaderboards']), id: Uuid })),
    version: Type.Integer({ description: 'Of the configuration that activated them.' }),
    status: Type.Enum(['waiting', 'running', 'finished']),
    done: Type.Integer({ description: 'Users gone through.' }),
    total: nullable(Type.Integer({ description: 'Users to go through; null while waiting.' })),
    due: Instant,
    finished: nullable(Instant),
  },
  { $id: 'Activation' },
);
export type Activation = Type.Static<typeof Activation>;

export const ListActivations = operation({
  tag: 'Configuration',
  summary: 'List activations',
  description:
    'What was activated, newest first, and how far users have been gone through to whom it was due by then: ' +
    'achievements are completed silently, perpetual leaderboards are filled.',
  access: 'admin',
  query: pageQuery,
  responses: { 200: Type.Array(Activation) },
});
