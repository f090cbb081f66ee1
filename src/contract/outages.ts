import Type from 'typebox';
import { HEALTH_CAUSES } from '../base/healthCause.ts';
import { OUTAGES_MAX } from '../base/healthLimits.ts';
import { operation } from './operation.ts';
import { Instant, instant, named, nullable } from './schemas.ts';

const RecordedOutage = named('RecordedOutage', {
  cause: Type.Enum([...HEALTH_CAUSES], {
    description:
      '`servers`, `workers`: none ran. `redis`, `postgres`: did not answer. `history`: was behind. `deadEntries`: could not be stored. `leaderboards`, `deliveries`: were overdue.',
  }),
  began: Instant,
  ended: nullable(instant('null: it lasts.')),
  seconds: Type.Number({ minimum: 0, description: 'How long it has been seen.' }),
});
export type RecordedOutage = Type.Static<typeof RecordedOutage>;

export const ListOutages = operation({
  name: 'listOutages',
  route: 'GET /outages',
  tag: 'Operations',
  summary: 'List outages',
  description: `The latest ${OUTAGES_MAX} times that something was wrong for longer than a minute, the latest first. Workers look every 10 seconds, by the clock of the machine, whatever the test clock says.`,
  scope: 'account',
  responses: { 200: Type.Array(RecordedOutage) },
});
