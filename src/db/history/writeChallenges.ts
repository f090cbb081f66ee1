import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import type { ChallengeStepRow, HistoryRows } from './historyRows.ts';

const STEPS = new BulkStatement<ChallengeStepRow>(
  { tenant: 'int4', userId: 'text', challenge: 'int4', run: 'int4', step: 'text', happenedAt: 'instant' },
  ({ insertInto }) => `${insertInto('challenge_steps')} order by 1, 2, 3, 4, 5, 6 on conflict do nothing`,
);

/** Writes when users have joined, left, completed and claimed challenges. Existing rows stay unchanged. */
export async function writeChallenges(client: PoolClient, { challengeSteps }: HistoryRows): Promise<void> {
  await STEPS.run(client, challengeSteps, false);
}
