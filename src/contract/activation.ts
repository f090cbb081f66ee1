import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { operation } from './operation.ts';
import { Instant, nullable, Uuid } from './schemas.ts';

export const Activation = Type.Object(
  {
    activated: Type.Array(Type.Object({ kind: Type.Enum(['achievements', 'leaderboards']), id: Uuid })),
    version: Type.Integer({ description: 'Version of the configuration that activated them.' }),
    status: Type.Enum(['waiting', 'running', 'finished']),
    done: Type.Integer({ description: 'Number of users processed.' }),
    total: nullable(Type.Integer({ description: 'Number of users to process. null while waiting.' })),
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
    'Newest first, with the number of users processed. An activation completes achievements silently for users who ' +
    'already qualify, and fills perpetual leaderboards.',
  access: 'admin',
  query: pageQuery,
  responses: { 200: Type.Array(Activation) },
});
