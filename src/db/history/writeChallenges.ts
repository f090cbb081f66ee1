import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import type { ChallengeCompletionRow, HistoryRows } from './historyRows.ts';

const COMPLETIONS = new BulkStatement<ChallengeCompletionRow>(
  { tenant: 'int4', userId: 'text', challenge: 'int4', run: 'int4', completedAt: 'instant' },
  ({ insertInto }) => `${insertInto('completed_challenges')} order by 1, 2, 3, 4 on conflict do nothing`,
);

/** Writes when users have completed challenges. Existing rows stay unchanged. */
export async function writeChallenges(
  client: PoolClient,
  { challengeCompletions }: HistoryRows,
): Promise<void> {
  await COMPLETIONS.run(client, challengeCompletions, false);
}
