import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { ChangedItem } from './changedItem.ts';
import { operation } from './operation.ts';
import { Instant, integer, named, nullable, Uuid } from './schemas.ts';

export const Activation = named('Activation', {
  activated: Type.Array(
    Type.Object({
      kind: Type.Enum(['achievements', 'pointsTriggers', 'leaderboards', 'challenges']),
      id: Uuid,
      item: nullable(ChangedItem),
    }),
  ),
  version: integer('Version of the configuration that activated them.'),
  status: Type.Enum(['waiting', 'running', 'finished']),
  done: integer('Number of users processed.'),
  total: nullable(integer('Number of users to process. null while waiting.')),
  due: Instant,
  finished: nullable(Instant),
});
export type Activation = Type.Static<typeof Activation>;

export const ListActivations = operation({
  name: 'listActivations',
  route: 'GET /activations',
  tag: 'Configuration',
  summary: 'List activations',
  description:
    'Newest first, with the number of users processed. An activation completes achievements silently for users who ' +
    'already qualify, and fills perpetual leaderboards, counters and goals from the history.',
  query: pageQuery,
  responses: { 200: Type.Array(Activation) },
});
