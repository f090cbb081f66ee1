import Type from 'typebox';
import { HEALTH_CAUSES } from '../base/healthCause.ts';
import { OUTAGES_MAX } from '../base/healthLimits.ts';
import { operation } from './operation.ts';
import { Instant, nullable } from './schemas.ts';

const RecordedOutage = Type.Object(
  {
    cause: Type.Enum([...HEALTH_CAUSES], {
      description:
        '`servers`, `workers`: none ran. `redis`, `postgres`: did not answer. `history`: was behind. `deadEntries`: could not be stored. `leaderboards`, `deliveries`: were overdue.',
    }),
    began: Instant,
    ended: nullable(Type.String({ format: 'date-time', description: 'null: it lasts.' })),
    seconds: Type.Number({ minimum: 0, description: 'How long it has been seen.' }),
  },
  { $id: 'RecordedOutage' },
);
export type RecordedOutage = Type.Static<typeof RecordedOutage>;

export const ListOutages = operation({
  tag: 'Operations',
  summary: 'List outages',
  description: `The latest ${OUTAGES_MAX} times that something was wrong for longer than a minute, the latest first. Workers look every 10 seconds, by the clock of the machine, whatever the test clock says.`,
  access: 'admin',
  isOfAccount: true,
  responses: { 200: Type.Array(RecordedOutage) },
});
